// Frames as interleaved 8-bit colors, for screens, frames and encoders; honors range and matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/frame/frame_pool.h"
#include "core/video/av.h"

namespace throng {

enum class Packing : std::uint8_t { bgr24, bgra32, rgba32 };  // in the order of the bytes; alpha is 255

[[nodiscard]] constexpr int bytes_per_pixel(Packing packing) noexcept {
    return packing == Packing::bgr24 ? 3 : 4;
}

// Keeps its tables for frames of one size and format after another; not thread-safe, cheap to have one per thread.
class PixelConverter {
public:
    // Writes frame.height() rows of frame.width() pixels, each at `pitch` bytes (>= width * bytes_per_pixel) from the
    // one before. Device frames are fetched to the host first. Gray becomes equal red, green and blue. Throws
    // Error(internal) when the frame cannot be converted.
    void convert(const Frame& frame, Packing packing, std::uint8_t* pixels, std::ptrdiff_t pitch);

    // A bgr24 copy of the frame that may be drawn on; its index, pts and captured are the frame's.
    [[nodiscard]] WritableFrame bgr_copy(const Frame& frame, FramePool& pool);

private:
    void convert_luma_chroma(const Frame& frame, Packing packing, std::uint8_t* pixels, std::ptrdiff_t pitch);

    av::ScalerPtr scaler_;
    std::vector<std::uint8_t> rows_;  // for destinations that swscale's vectors would run over
};

}  // namespace throng
