// A tile of a map, with a border, into shared memory.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/cnn/tile_product.cuh"

namespace throng::gpu {

// kWidth x kHeight pixels from (left, top) on with all channels that Product takes, zeros outside the map, to where
// Product has its tile. `up`, where it is not null, is added, every pixel of it to 2 x 2. Ends with the tile there for
// all threads of the block.
template <typename T, typename Product, int kWidth, int kHeight, int kChannels>
__device__ void load_tile(__half* to, const Map& map, const Map& up, int image, int left, int top) {
    constexpr int kVector = 16 / sizeof(T);
    constexpr int kVectors = kChannels / kVector;
    constexpr int kCount = kWidth * kHeight * kVectors;
    constexpr int kTogether = 3;  // loads under way before the first is used
    const auto pixel_of = [&](int i) { return i / kVectors; };
    const auto channel_of = [&](int i) { return i % kVectors * kVector; };
    const auto inside = [&](int x, int y) { return x >= 0 && x < map.width && y >= 0 && y < map.height; };
    if (kParts<T> == 1 && up.data == nullptr) {  // the elements are what the product takes
        for (int i = threadIdx.x; i < kCount; i += kTileThreads) {
            const int x = left + pixel_of(i) % kWidth;
            const int y = top + pixel_of(i) / kWidth;
            const bool in = inside(x, y);
            __pipeline_memcpy_async(to + pixel_of(i) * Product::kPitch + channel_of(i),
                                    element<T>(map, image, in ? x : 0, in ? y : 0, channel_of(i)), 16, in ? 0 : 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        return;
    }
    for (int first = threadIdx.x; first < kCount; first += kTogether * kTileThreads) {
        float4 v[kTogether][kVector / 4];
#pragma unroll
        for (int n = 0; n < kTogether; ++n) {
            const int i = first + n * kTileThreads;
            const int x = left + pixel_of(i) % kWidth;
            const int y = top + pixel_of(i) / kWidth;
            const bool in = i < kCount && inside(x, y);
            const T* from = element<T>(map, image, in ? x : 0, in ? y : 0, channel_of(i));
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) v[n][c] = in ? load4(from + 4 * c) : float4{};
            if (up.data == nullptr) continue;
            const T* more = element<T>(up, image, in ? x / 2 : 0, in ? y / 2 : 0, channel_of(i));
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) {
                v[n][c] = in ? sum4(v[n][c], load4(more + 4 * c)) : float4{};
            }
        }
#pragma unroll
        for (int n = 0; n < kTogether; ++n) {
            const int i = first + n * kTileThreads;
            if (i >= kCount) continue;
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) Product::put(to, pixel_of(i), channel_of(i) + 4 * c, v[n][c]);
        }
    }
    __syncthreads();
}

}  // namespace throng::gpu
