// Loads a tile of a map, with a border, into shared memory.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/cnn/tile_product.cuh"

namespace throng::gpu {

// Loads kWidth x kHeight pixels from (left, top) on, with all channels that Product takes, to Product's tile. Pixels
// outside the map get values of its edge. If `up` is not null, each of its pixels is added to 2 x 2 pixels. When it
// returns, the tile is visible to all threads of the block.
template <typename T, typename Product, int kWidth, int kHeight, int kChannels>
__device__ void load_tile(__half* to, const Map& map, const Map& up, int image, int left, int top) {
    constexpr int kVector = 16 / sizeof(T);
    constexpr int kVectors = kChannels / kVector;         // per pixel; a thread always loads the same one
    constexpr int kStep = 32 / kVectors;                  // columns per warp
    constexpr int kSteps = (kWidth + kStep - 1) / kStep;  // loads in flight
    static_assert(kStep % 2 == 0);
    const int channel = static_cast<int>(threadIdx.x) % kVectors * kVector;
    const int column = static_cast<int>(threadIdx.x) % 32 / kVectors;
    const Image<const T> from(map, image, channel);
    const Image<const T> more(up, image, channel);
    for (int row = static_cast<int>(threadIdx.x) / 32; row < kHeight; row += kTileThreads / 32) {
        const int y = min(max(top + row, 0), map.height - 1);
        const auto x_of = [&](int n) { return min(max(left + column + n * kStep, 0), map.width - 1); };
        const auto slot_of = [&](int n) { return row * kWidth + slot_of_column<kWidth>(column) + n * kStep / 2; };
        if (kParts<T> == 1 && up.data == nullptr) {  // the product takes the elements unchanged
#pragma unroll
            for (int n = 0; n < kSteps; ++n) {
                if (column + n * kStep >= kWidth) continue;
                __pipeline_memcpy_async(to + slot_of(n) * Product::kPitch + channel, from.at(x_of(n), y), 16);
            }
            continue;
        }
        float4 v[kSteps][kVector / 4];
#pragma unroll
        for (int n = 0; n < kSteps; ++n) {
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) v[n][c] = load4(from.at(x_of(n), y) + 4 * c);
        }
        if (up.data != nullptr) {
#pragma unroll
            for (int n = 0; n < kSteps; ++n) {
#pragma unroll
                for (int c = 0; c < kVector / 4; ++c) {
                    v[n][c] = sum4(v[n][c], load4(more.at(x_of(n) / 2, y / 2) + 4 * c));
                }
            }
        }
#pragma unroll
        for (int n = 0; n < kSteps; ++n) {
            if (column + n * kStep >= kWidth) continue;
#pragma unroll
            for (int c = 0; c < kVector / 4; ++c) Product::put(to, slot_of(n), channel + 4 * c, v[n][c]);
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

// Stores a tile of kWidth x kHeight pixels, row by row in shared memory, to the map's pixels from (left, top) on.
template <int kWidth, int kHeight, int kChannels, int kPitch, typename T>
__device__ void store_tile(const T* tile, const Image<T>& out, int left, int top) {
    constexpr int kVector = 16 / sizeof(T);
    constexpr int kVectors = kChannels / kVector;
    for (int i = static_cast<int>(threadIdx.x); i < kWidth * kHeight * kVectors; i += kTileThreads) {
        const int pixel = i / kVectors;
        const int channel = i % kVectors * kVector;
        const int x = left + pixel % kWidth;
        const int y = top + pixel / kWidth;
        if (!out.holds(x, y)) continue;
        *reinterpret_cast<uint4*>(out.at(x, y) + channel) =
            *reinterpret_cast<const uint4*>(tile + pixel * kPitch + channel);
    }
}

}  // namespace throng::gpu
