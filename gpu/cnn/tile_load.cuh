// Loads a tile of a map, with a border, into shared memory.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/cnn/tile_product.cuh"

namespace throng::gpu {

// Loads kWidth x kHeight pixels from (left, top) on, with all channels that Product takes and zeros outside the map, to
// Product's tile. If `up` is not null, each of its pixels is added to 2 x 2 pixels. When it returns, the tile is
// visible to all threads of the block.
template <typename T, typename Product, int kWidth, int kHeight, int kChannels>
__device__ void load_tile(__half* to, const Map& map, const Map& up, int image, int left, int top) {
    constexpr int kVector = 16 / sizeof(T);
    constexpr int kVectors = kChannels / kVector;  // per pixel; a thread always loads the same one
    constexpr int kStep = kTileThreads / kVectors;
    constexpr int kPixels = kWidth * kHeight;
    constexpr int kLoadsInFlight = 3;  // loads issued before the first is used
    static_assert(kTileThreads % kVectors == 0);
    const int channel = static_cast<int>(threadIdx.x) % kVectors * kVector;
    const int begin = static_cast<int>(threadIdx.x) / kVectors;
    const Image<const T> from(map, image, channel);
    if (kParts<T> == 1 && up.data == nullptr) {  // the product takes the elements unchanged
        for (int pixel = begin; pixel < kPixels; pixel += kStep) {
            const int x = left + pixel % kWidth;
            const int y = top + pixel / kWidth;
            const bool in = from.holds(x, y);
            __pipeline_memcpy_async(to + pixel * Product::kPitch + channel, in ? from.at(x, y) : from.data, 16,
                                    in ? 0 : 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        return;
    }
    for (int first = begin; first < kPixels; first += kLoadsInFlight * kStep) {
        float4 v[kLoadsInFlight][kVector / 4];
#pragma unroll
        for (int n = 0; n < kLoadsInFlight; ++n) {
            const int x = left + (first + n * kStep) % kWidth;
            const int y = top + (first + n * kStep) / kWidth;
            const bool in = from.holds(x, y);
            const T* at = in ? from.at(x, y) : from.data;
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) {
                v[n][c] = load4(at + 4 * c);
                if (!in) v[n][c] = {};
            }
        }
        if (up.data != nullptr) {
            const Image<const T> more(up, image, channel);
#pragma unroll
            for (int n = 0; n < kLoadsInFlight; ++n) {
                const int x = left + (first + n * kStep) % kWidth;
                const int y = top + (first + n * kStep) / kWidth;
                if (!from.holds(x, y)) continue;
#pragma unroll
                for (int c = 0; c < kVector / 4; ++c) {
                    v[n][c] = sum4(v[n][c], load4(more.at(x / 2, y / 2) + 4 * c));
                }
            }
        }
#pragma unroll
        for (int n = 0; n < kLoadsInFlight; ++n) {
            const int pixel = first + n * kStep;
            if (pixel >= kPixels) continue;
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) Product::put(to, pixel, channel + 4 * c, v[n][c]);
        }
    }
    __syncthreads();
}

}  // namespace throng::gpu
