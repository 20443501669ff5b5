// Converts BGR to gray, bit-exact with OpenCV's COLOR_BGR2GRAY: ITU-R BT.601 weights with 15 fractional bits.
#pragma once

#include <cstdint>

#include "core/algo/host_device.h"

namespace throng {

inline constexpr int kGrayBlue = 3735;
inline constexpr int kGrayGreen = 19235;
inline constexpr int kGrayRed = 9798;
inline constexpr int kGrayShift = 15;

TH_HD std::uint8_t gray_of_bgr(int blue, int green, int red) {
    return static_cast<std::uint8_t>(
        (blue * kGrayBlue + green * kGrayGreen + red * kGrayRed + (1 << (kGrayShift - 1))) >> kGrayShift);
}

}  // namespace throng
