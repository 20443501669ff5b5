// A tile of a map, with a border, into shared memory.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/cnn/tile_product.cuh"

namespace throng::gpu {

// kWidth x kHeight pixels from (left, top) on, kChannels each, to rows of kPitch elements; zeros outside the map. `up`,
// where it is not null, is added, every pixel of it to 2 x 2. Ends with the tile there for all threads of the block.
template <typename T, int kWidth, int kHeight, int kChannels, int kPitch>
__device__ void load_tile(T* to, const Map& map, const Map& up, int image, int left, int top) {
    constexpr int kVector = 16 / sizeof(T);
    constexpr int kVectors = kChannels / kVector;
    for (int i = threadIdx.x; i < kWidth * kHeight * kVectors; i += kTileThreads) {
        const int pixel = i / kVectors;
        const int channel = i % kVectors * kVector;
        const int x = left + pixel % kWidth;
        const int y = top + pixel / kWidth;
        const bool inside = x >= 0 && x < map.width && y >= 0 && y < map.height;
        T* at = to + pixel * kPitch + channel;
        const T* from = element<T>(map, image, inside ? x : 0, inside ? y : 0, channel);
        if (up.data == nullptr) {
            __pipeline_memcpy_async(at, from, 16, inside ? 0 : 16);
            continue;
        }
        const T* more = element<T>(up, image, inside ? x / 2 : 0, inside ? y / 2 : 0, channel);
#pragma unroll
        for (int v = 0; v < kVector; v += 4) {
            store4(at + v, inside ? sum4(load4(from + v), load4(more + v)) : float4{0.0F, 0.0F, 0.0F, 0.0F});
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

}  // namespace throng::gpu
