// IEEE half precision in host memory.
#pragma once

#include <bit>
#include <cstdint>

namespace throng::api {

// Exact: every half is a float.
inline float float_of_half(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16U;
    const std::uint32_t exponent = (half >> 10U) & 0x1FU;
    const std::uint32_t fraction = half & 0x3FFU;
    if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
        const float value = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + 112U;  // infinity and NaN; bias 15 to 127
    return std::bit_cast<float>(sign | wide << 23U | fraction << 13U);
}

}  // namespace throng::api
