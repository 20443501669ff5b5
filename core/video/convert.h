// Converts frames to interleaved 8-bit colors, for display, images and encoders. Honors color range and matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/frame/frame_pool.h"
#include "core/video/av.h"

namespace throng {

enum class Packing : std::uint8_t { bgr24, bgra32, rgba32 };  // in byte order; alpha is 255

[[nodiscard]] constexpr int bytes_per_pixel(Packing packing) noexcept {
    return packing == Packing::bgr24 ? 3 : 4;
}

// Caches the conversion tables for the last size and format. Not thread-safe; use one converter per thread.
class PixelConverter {
public:
    // Writes frame.height() rows of frame.width() pixels at a distance of `pitch` bytes (>= width * bytes_per_pixel).
    // Device frames are copied to the host first. Gray becomes equal red, green and blue. Throws Error(internal) if the
    // frame cannot be converted.
    void convert(const Frame& frame, Packing packing, std::uint8_t* pixels, std::ptrdiff_t pitch);

    // Returns a writable bgr24 copy of the frame with the same index, pts and captured.
    [[nodiscard]] WritableFrame bgr_copy(const Frame& frame, FramePool& pool);

private:
    void convert_luma_chroma(const Frame& frame, Packing packing, std::uint8_t* pixels, std::ptrdiff_t pitch);

    av::ScalerPtr scaler_;
    std::vector<std::uint8_t> rows_;  // for destinations without padding for swscale's vector stores
};

}  // namespace throng
