// From 10 to 8 bits per sample, bit-exact with libswscale: two bits are dropped by ordered dithering.
#pragma once

#include <cstdint>

#include "core/algo/host_device.h"

namespace throng {

// sample: 10 bits. x, y: its position in its plane; of the second chroma plane, x is one more.
TH_HD std::uint8_t narrow(int sample, int x, int y) {
    const int threshold = (y & 1) != 0 ? 3 * (1 - (x & 1)) : 1 + (x & 1);
    const int rounded = (sample + threshold) >> 2;
    return static_cast<std::uint8_t>(rounded < 255 ? rounded : 255);
}

}  // namespace throng
