// Bilinear resizing of 8-bit images in fixed point, bit-exact with OpenCV's INTER_LINEAR_EXACT.
// Weights have 8 fractional bits; the four products are summed exactly and rounded once, so the order does not matter.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/algo/host_device.h"

namespace throng {

// Output sample = (at[offset] * near + at[offset + 1] * far) / 256, near + far = 256. offset + 1 may lie one past the
// end; far is 0 then.
struct ResizeTap {
    std::int32_t offset;
    std::int16_t near, far;
};

TH_HD ResizeTap resize_tap(int index, int source_size, int target_size) {
    const double per_source = static_cast<double>(target_size) / source_size;
    const double step = 1.0 / per_source;
    const double at = step * (index + 0.5) - 0.5;
    const int whole = static_cast<int>(floor(at));
    if (whole < 0) return {0, 256, 0};
    if (whole >= source_size - 1) return {source_size - 1, 256, 0};
    const auto far = static_cast<std::int16_t>(lrint((at - whole) * 256.0));
    return {whole, static_cast<std::int16_t>(256 - far), far};
}

// Rounds a sum of the weighted samples of both axes, which has 16 fractional bits, half up.
TH_HD std::uint8_t resize_round(std::uint32_t sum) {
    return static_cast<std::uint8_t>((sum + 0x8000U) >> 16);
}

// Interpolates between the source pixels a, b (upper row) and c, d (lower row).
TH_HD std::uint8_t resize_pixel(int a, int b, int c, int d, ResizeTap x, ResizeTap y) {
    const int above = a * x.near + b * x.far;
    const int below = c * x.near + d * x.far;
    return resize_round(static_cast<std::uint32_t>(above) * static_cast<std::uint32_t>(y.near) +
                        static_cast<std::uint32_t>(below) * static_cast<std::uint32_t>(y.far));
}

}  // namespace throng
