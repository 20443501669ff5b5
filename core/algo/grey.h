// Grey from colour, the same to the bit as OpenCV's BGR2GRAY: ITU-R BT.601 weights with 15 fractional bits.
#pragma once

#include <cstdint>

#include "core/algo/host_device.h"

namespace throng {

inline constexpr int kGreyBlue = 3735;
inline constexpr int kGreyGreen = 19235;
inline constexpr int kGreyRed = 9798;
inline constexpr int kGreyShift = 15;

TH_HD std::uint8_t grey_of_bgr(int blue, int green, int red) {
    return static_cast<std::uint8_t>(
        (blue * kGreyBlue + green * kGreyGreen + red * kGreyRed + (1 << (kGreyShift - 1))) >> kGreyShift);
}

}  // namespace throng
