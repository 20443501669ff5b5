// Access to four channels of a map as 32-bit numbers, for both element types.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "gpu/cnn/step.h"

namespace throng::gpu {

// Padding in elements of rows in shared memory, so that rows start in different banks.
template <typename T>
inline constexpr int kRowPadding = 16 / static_cast<int>(sizeof(T));

// Values beyond the range of 16 bits are clamped to it.
__device__ inline __half2 narrowed(float a, float b) {
#if __CUDA_ARCH__ >= 800
    std::uint32_t bits;
    asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(b), "f"(a));
    return *reinterpret_cast<const __half2*>(&bits);
#else
    const __half2 limit = __floats2half2_rn(65504.0F, 65504.0F);
    return __hmin2(__hmax2(__floats2half2_rn(a, b), __hneg2(limit)), limit);
#endif
}

// Two neighboring channels.
template <typename T>
using PairOf = std::conditional_t<sizeof(T) == sizeof(float), float2, __half2>;

// Neighboring channels, stored with as few instructions as possible.
template <typename Pair, int kCount>
struct alignas(kCount * sizeof(Pair) < 16 ? kCount * sizeof(Pair) : 16) Pairs {
    Pair pair[kCount];
};

__device__ inline void put_pair(float2& to, float a, float b) {
    to = {a, b};
}
__device__ inline void put_pair(__half2& to, float a, float b) {
    to = narrowed(a, b);
}

__device__ inline float2 as_floats(float2 pair) {
    return pair;
}
__device__ inline float2 as_floats(__half2 pair) {
    return __half22float2(pair);
}

__device__ inline float4 load4(const float* at) {
    return *reinterpret_cast<const float4*>(at);
}
__device__ inline float4 load4(const __half* at) {
    const auto from = *reinterpret_cast<const Pairs<__half2, 2>*>(at);
    const float2 a = as_floats(from.pair[0]);
    const float2 b = as_floats(from.pair[1]);
    return {a.x, a.y, b.x, b.y};
}
__device__ inline void store(float* at, float4 v) {
    *reinterpret_cast<float4*>(at) = v;
}
__device__ inline void store(__half* at, float4 v) {
    *reinterpret_cast<Pairs<__half2, 2>*>(at) = {narrowed(v.x, v.y), narrowed(v.z, v.w)};
}

// Wide: float4, or float for a single channel.
template <typename Wide, typename T>
__device__ Wide load_as(const T* at) {
    if constexpr (sizeof(Wide) == sizeof(float4)) {
        return load4(at);
    } else {
        return static_cast<float>(*at);
    }
}

// fmaf replaces * and +, because the library is built without contraction.
__device__ inline void add_product(float4& sum, float4 a, float4 b) {
    sum.x = fmaf(a.x, b.x, sum.x);
    sum.y = fmaf(a.y, b.y, sum.y);
    sum.z = fmaf(a.z, b.z, sum.z);
    sum.w = fmaf(a.w, b.w, sum.w);
}

__device__ inline void add_product(float4& sum, float a, float4 b) {
    sum.x = fmaf(a, b.x, sum.x);
    sum.y = fmaf(a, b.y, sum.y);
    sum.z = fmaf(a, b.z, sum.z);
    sum.w = fmaf(a, b.w, sum.w);
}

__device__ inline float4 sum4(float4 a, float4 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

__device__ inline float sum4(float a, float b) {
    return a + b;
}

__device__ inline float4 max_of(float4 a, float4 b) {
    return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)};
}
__device__ inline float4 max_of(float4 a, float b) {
    return max_of(a, {b, b, b, b});
}
template <int kCount>
__device__ Pairs<__half2, kCount> max_of(Pairs<__half2, kCount> a, const Pairs<__half2, kCount>& b) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) a.pair[i] = __hmax2(a.pair[i], b.pair[i]);
    return a;
}
template <int kCount>
__device__ Pairs<__half2, kCount> max_of(Pairs<__half2, kCount> a, float b) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) a.pair[i] = __hmax2(a.pair[i], __float2half2_rn(b));
    return a;
}
template <typename T>
__device__ void store(T* at, float v) {
    *at = static_cast<T>(v);
}
template <int kCount>
__device__ void store(__half* at, const Pairs<__half2, kCount>& v) {
    *reinterpret_cast<Pairs<__half2, kCount>*>(at) = v;
}

// T: the elements of the map that takes the result. For 16 bits the exponential function needs less than full precision.
template <typename T>
__device__ float activated(float v, Activation activation) {
    if (activation == Activation::silu) {
        return sizeof(T) == sizeof(float) ? v / (1.0F + expf(-v)) : __fdividef(v, 1.0F + __expf(-v));
    }
    if (activation == Activation::leaky) return fmaxf(v, v * kLeakySlope);
    return activation == Activation::relu ? fmaxf(v, 0.0F) : v;
}
template <typename T>
__device__ float4 activated(float4 v, Activation activation) {
    return {activated<T>(v.x, activation), activated<T>(v.y, activation), activated<T>(v.z, activation),
            activated<T>(v.w, activation)};
}

// One image of a batch of a map: plain addresses. An image has less than 2^31 elements (checked in network_run.cpp).
template <typename T>
struct Image {
    T* data;
    int width, height;
    int pitch, row;  // elements to the next pixel, and to the pixel below

    __device__ Image(const Map& map, int image, int channel = 0)
        : data(static_cast<T*>(map.data) + image * map.image + channel),
          width(map.width),
          height(map.height),
          pitch(map.pitch),
          row(map.width * map.pitch) {}

    __device__ bool holds(int x, int y) const {  // negative numbers become large ones
        return static_cast<unsigned>(x) < static_cast<unsigned>(width) &&
               static_cast<unsigned>(y) < static_cast<unsigned>(height);
    }
    // The pixel must be inside: an unsigned offset needs no sign extension.
    __device__ T* at(int x, int y) const { return data + static_cast<unsigned>(y * row + x * pitch); }
};

}  // namespace throng::gpu
