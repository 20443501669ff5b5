// The rows of cnn_input.h, with SIMD; the instruction set is chosen at run time. core/algo/cnn_input.h defines the
// results, bit for bit.
#pragma once

#include <array>
#include <cstdint>

#include "core/algo/cnn_input.h"

namespace throng {

// out[i] = row[i * step]; step is 1, 2 or 3.
void cnn_samples_row(const std::uint8_t* row, int step, int count, float* out);

// Computes the horizontal half of cnn_bilinear: out[i] from samples[near[i]], the next sample and weight[i]. The sample
// after the last one must be finite; its weight is 0. weight: null if all weights are 0.
void cnn_interpolate_row(const float* samples, const std::int32_t* near, const float* weight, int count, float* out);

// Computes the vertical half of cnn_bilinear and adds it to sum. first: stores it instead.
void cnn_blend_rows(const float* above, const float* below, float weight, bool first, int count, float* sum);

// How the values of a pixel become those of the input.
struct CnnInputColors {
    int channels = 0;  // 1: Y; 3: Y, U, V, or blue, green, red if is_bgr
    bool is_bgr = false;
    CnnColor color;
    std::array<float, 3> mean{};  // of cnn_normalize: of blue, green and red
    float scale = 1;              // likewise
};
// from: as many rows as there are channels. to: blue, green, red.
void cnn_colors_row(const CnnInputColors& colors, const float* const* from, int count, float* const* to);

}  // namespace throng
