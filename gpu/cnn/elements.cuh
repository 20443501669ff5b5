// Four channels of a map at a time, as 32-bit numbers whatever the map's elements are.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/cnn/map.h"

namespace throng::gpu {

// Elements by which rows in shared memory are longer than their channels, so that rows start in different banks.
template <typename T>
inline constexpr int kRowPadding = 16 / static_cast<int>(sizeof(T));

__device__ inline float4 load4(const float* at) {
    return *reinterpret_cast<const float4*>(at);
}

__device__ inline float4 widened(__half2 first, __half2 second) {
    const float2 a = __half22float2(first);
    const float2 b = __half22float2(second);
    return {a.x, a.y, b.x, b.y};
}

__device__ inline float4 load4(const __half* at) {
    const uint2 bits = *reinterpret_cast<const uint2*>(at);
    return widened(*reinterpret_cast<const __half2*>(&bits.x), *reinterpret_cast<const __half2*>(&bits.y));
}

__device__ inline void store4(float* at, float4 v) {
    *reinterpret_cast<float4*>(at) = v;
}

// Values beyond the range of 16 bits become the largest one.
__device__ inline __half2 narrowed(float a, float b) {
    constexpr float kLargest = 65504.0F;
    return __floats2half2_rn(fminf(fmaxf(a, -kLargest), kLargest), fminf(fmaxf(b, -kLargest), kLargest));
}

__device__ inline void store4(__half* at, float4 v) {
    const __half2 low = narrowed(v.x, v.y);
    const __half2 high = narrowed(v.z, v.w);
    *reinterpret_cast<uint2*>(at) =
        make_uint2(*reinterpret_cast<const std::uint32_t*>(&low), *reinterpret_cast<const std::uint32_t*>(&high));
}

__device__ inline void store2(float* at, float a, float b) {
    *reinterpret_cast<float2*>(at) = {a, b};
}

__device__ inline void store2(__half* at, float a, float b) {
    *reinterpret_cast<__half2*>(at) = narrowed(a, b);
}

// fmaf in place of * and +: the library is built without contraction.
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

__device__ inline float4 max4(float4 a, float4 b) {
    return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)};
}

__device__ inline float4 relu4(float4 v, bool relu) {
    return relu ? max4(v, {0.0F, 0.0F, 0.0F, 0.0F}) : v;
}

// The element of a map at a pixel of an image of the batch.
template <typename T>
__device__ T* element(const Map& map, int image, int x, int y, int channel = 0) {
    return static_cast<T*>(map.data) + image * map.image + (static_cast<std::int64_t>(y) * map.width + x) * map.pitch +
           channel;
}

}  // namespace throng::gpu
