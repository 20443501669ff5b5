// The depthwise 3 x 3 convolution of a tile in shared memory with a border of one pixel.
#pragma once

#include "gpu/cnn/tile_product.cuh"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

// tile: [(kHeight + 2) * (kWidth + 2)][kPitch]. Processes kRows x 2 pixels and four channels at a time. Calls visit(x,
// y, channel, sums), where sums[row][column] belongs to the pixel (x + column, y + row) of the inner tile. x is even,
// and y is even if kRows is. first: index of the first of the kChannels among the weights' channels.
template <typename Element, int kWidth, int kHeight, int kChannels, int kPitch, int kRows, typename Visit>
__device__ void depthwise_tile(const Element* tile, const DepthWeights& depth, int first, Visit visit) {
    static_assert(kWidth % 2 == 0 && kHeight % kRows == 0);
    constexpr int kGroups = kChannels / 4;
    constexpr int kPairs = kWidth / 2;
    constexpr int kItems = kGroups * kPairs * (kHeight / kRows);
    for (int item = threadIdx.x; item < kItems; item += kTileThreads) {
        const int channel = item % kGroups * 4;
        const int x = item / kGroups % kPairs * 2;
        const int y = item / kGroups / kPairs * kRows;
        float4 w[9];
        const float* weights = depth.weights + first + channel;
#pragma unroll
        for (int t = 0; t < 9; ++t) w[t] = __ldg(reinterpret_cast<const float4*>(weights + t * depth.channels));
        const float4 bias = __ldg(reinterpret_cast<const float4*>(depth.bias + first + channel));
        float4 sums[kRows][2];
#pragma unroll
        for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = bias;
        const Element* from = tile + (y * (kWidth + 2) + x) * kPitch + channel;
#pragma unroll
        for (int r = 0; r < kRows + 2; ++r) {
            float4 v[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) v[c] = load4(from + (r * (kWidth + 2) + c) * kPitch);
#pragma unroll
            for (int ky = 0; ky < 3; ++ky) {
                const int to = r - ky;
                if (to < 0 || to >= kRows) continue;
#pragma unroll
                for (int kx = 0; kx < 3; ++kx) {
                    add_product(sums[to][0], v[kx], w[ky * 3 + kx]);
                    add_product(sums[to][1], v[kx + 1], w[ky * 3 + kx]);
                }
            }
        }
        visit(x, y, channel, sums);
    }
}

// Applies activation, store and pooling to the output of depthwise_tile: the pixels from (x, y) on. `out` and `pooled`
// begin at the channel; an extent of 0 means not written.
template <typename T, int kRows>
__device__ void finish_tile(Image<T> out, Image<T> pooled, bool relu, int x, int y, float4 (&sums)[kRows][2]) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            sums[r][c] = relu4(sums[r][c], relu);
            if (out.holds(x + c, y + r)) store4(out.at(x + c, y + r), sums[r][c]);
        }
    }
    if (pooled.width == 0) return;
#pragma unroll
    for (int r = 0; r < kRows; r += 2) {
        if (!pooled.holds(x / 2, (y + r) / 2)) continue;
        store4(pooled.at(x / 2, (y + r) / 2), max4(max4(sums[r][0], sums[r][1]), max4(sums[r + 1][0], sums[r + 1][1])));
    }
}

}  // namespace throng::gpu
