// The numbers of a caller's arrays, by throng_dtype.
#pragma once

#include <bit>
#include <cstdint>

#include "app/api/throng_nms.h"

namespace throng::api {

// IEEE half precision. Exact: every half is a float.
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

struct Half {
    std::uint16_t bits;
};

template <class Real>
Real value_of(Real value) {
    return value;
}
inline float value_of(Half value) {
    return float_of_half(value.bits);
}

// Calls visit(pointer) with the array as its element type; value_of gives its numbers.
template <class Visit>
void with_reals(const void* values, std::int32_t dtype, const Visit& visit) {
    switch (dtype) {
        case THRONG_FLOAT16: visit(static_cast<const Half*>(values)); break;
        case THRONG_FLOAT64: visit(static_cast<const double*>(values)); break;
        default: visit(static_cast<const float*>(values)); break;
    }
}

}  // namespace throng::api
