// Converts rows of pixels to rows of sums with SIMD; the instruction set is chosen at run time. Gray from color,
// bilinear resizing in two passes, integral rows. core/algo (gray.h, resize_linear.h, cascade.h) defines the results.
#pragma once

#include <cstdint>

namespace throng {

void gray_row(const std::uint8_t* bgr, int width, std::uint8_t* gray);

// out[x] = above[x] * near + below[x] * far, near + far = 256.
void blend_rows(const std::uint8_t* above, const std::uint8_t* below, int near, int far, int width, std::uint16_t* out);

// out[x] = resize_round(row[offset] * near + row[offset + 1] * far), with offset = offsets[x] and weights[x] = near |
// far << 16. row has one readable entry past its end. offsets and weights have kResampleSlack readable entries past
// `width`, out as many writable bytes.
inline constexpr int kResampleSlack = 16;
void resample_row(const std::uint16_t* row, const std::int32_t* offsets, const std::int32_t* weights, int width,
                  std::uint8_t* out);

// Adds a row of pixels to running column integrals: sum[x + 1] += pixels 0 to x. Does the same with squares unless
// null. sum[0] and squares[0] are unchanged.
void accumulate_row(const std::uint8_t* row, int width, std::uint32_t* sum, std::uint32_t* squares);

// Writes even entries to out and odd ones to out + half.
void split_row(const std::uint32_t* row, int count, std::uint32_t* out, int half);

}  // namespace throng
