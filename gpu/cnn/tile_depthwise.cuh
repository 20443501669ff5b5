// The depthwise 3 x 3 convolution of a tile in shared memory with a border of one pixel.
#pragma once

#include "gpu/cnn/tile_product.cuh"

namespace throng::gpu {

// The weights of kChannels channels of a depthwise convolution, and the bias of the pointwise one before it, in shared
// memory: loaded while the previous kernel finishes, they cost no latency after the product.
template <typename T, int kChannels>
struct UnitWeights {
    alignas(16) T taps[9 * kChannels];
    float bias[kChannels];
    float point_bias[kChannels];

    // Copies the channels from `first` on.
    __device__ void load(const PlainWeights& depth, const PointWeights& point, int first) {
        constexpr int kVector = 16 / sizeof(T);
        constexpr int kVectors = kChannels / kVector;  // per tap
        const T* from = reinterpret_cast<const T*>(kParts<T> == 1 ? depth.narrow : depth.weights) + first;
        const int i = static_cast<int>(threadIdx.x);
        static_assert(9 * kVectors <= kTileThreads);
        if (i < 9 * kVectors) {
            const int channel = i % kVectors * kVector;
            reinterpret_cast<uint4*>(taps)[i] =
                __ldg(reinterpret_cast<const uint4*>(from + i / kVectors * depth.channels + channel));
        }
        if (i < kChannels / 4) {
            store(bias + 4 * i, __ldg(reinterpret_cast<const float4*>(depth.bias + first) + i));
            store(point_bias + 4 * i, __ldg(reinterpret_cast<const float4*>(point.bias + first) + i));
        }
    }

    [[nodiscard]] __device__ PlainWeights depth() const {
        PlainWeights own;
        if constexpr (kParts<T> == 1) {
            own.narrow = taps;
        } else {
            own.weights = taps;
        }
        own.bias = bias;
        own.channels = kChannels;
        return own;
    }
};

// In 32 bits. tile: [(kHeight + 2) * (kWidth + 2)][kPitch]. Processes kRows x 2 pixels and four channels at a time. Calls
// visit(x, y, channel, sums), where sums[row][column] belongs to the pixel (x + column, y + row) of the inner tile. x is
// even, and y is even if kRows is.
template <int kWidth, int kHeight, int kChannels, int kPitch, int kRows, typename Visit>
__device__ void depthwise_tile(const float* tile, const PlainWeights& depth, Visit visit) {
    static_assert(kWidth % 2 == 0 && kHeight % kRows == 0);
    constexpr int kGroups = kChannels / 4;
    constexpr int kPairs = kWidth / 2;
    constexpr int kItems = kGroups * kPairs * (kHeight / kRows);
    for (int item = threadIdx.x; item < kItems; item += kTileThreads) {
        const int channel = item % kGroups * 4;
        const int x = item / kGroups % kPairs * 2;
        const int y = item / kGroups / kPairs * kRows;
        float4 w[9];
#pragma unroll
        for (int t = 0; t < 9; ++t) w[t] = load4(depth.weights + t * depth.channels + channel);
        const float4 bias = load4(depth.bias + channel);
        float4 sums[kRows][2];
#pragma unroll
        for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = bias;
        const float* from = tile + (y * (kWidth + 2) + x / 2) * kPitch + channel;
#pragma unroll
        for (int r = 0; r < kRows + 2; ++r) {
            float4 v[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                v[c] = load4(from + (r * (kWidth + 2) + slot_of_column<kWidth + 2>(c)) * kPitch);
            }
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

// The weights of a depthwise convolution as operands of tensor cores, for kSpan channels: a tap is a diagonal matrix per
// 8 channels. A thread has two channels per matrix, and all of its channels are neighbors.
template <int kSpan>
struct DepthwiseTaps {
    static constexpr int kMatrices = kSpan / 8;
    static constexpr int kChannels = 2 * kMatrices;  // of a thread
    using Values = Pairs<__half2, kMatrices>;

    Pairs<std::uint32_t, kMatrices> tap[9];
    float2 bias[kMatrices];

    __device__ DepthwiseTaps(const PlainWeights& depth, int first) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int channel = first + lane % 4 * kChannels;
        const auto* weights = static_cast<const __half*>(depth.narrow) + channel;
        const std::uint32_t diagonal = lane / 8 != lane % 4 ? 0 : lane / 4 % 2 == 0 ? 0xFFFF : 0xFFFF0000;
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            tap[t] = *reinterpret_cast<const Pairs<std::uint32_t, kMatrices>*>(weights + t * depth.channels);
#pragma unroll
            for (int m = 0; m < kMatrices; ++m) tap[t].pair[m] &= diagonal;
        }
#pragma unroll
        for (int m = 0; m < kMatrices; ++m) bias[m] = reinterpret_cast<const float2*>(depth.bias + channel)[m];
    }
};

// The same on tensor cores, for 16 x 2 pixels from (x, y) on and the kSpan channels from `channel` on. The channels of
// the tile are in the order of ChannelOrder::tensor_depthwise. A thread gets sums[row][column] of the pixels from (x +
// lane / 4 * 2, y) on, for the taps' kChannels from channel + lane % 4 * kChannels on.
template <int kSpan, int kBordered, int kPitch>
__device__ void depthwise_pairs(const __half* tile, const DepthwiseTaps<kSpan>& taps, int channel, int x, int y,
                                typename DepthwiseTaps<kSpan>::Values (&sums)[2][2]) {
    // Matrix m has eight pixels, at columns m, m + 2, m + 4, ... A lane addresses one of them. The operands of taps 0
    // and 2 of a row are matrices 0 to 3; those of tap 1 are matrices 1 and 2, of two rows.
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const __half* first = tile + (y * kBordered + x / 2 + lane % 8) * kPitch + channel;
    const __half* outer_from = first + slot_of_column<kBordered>(lane / 8) * kPitch;
    const __half* inner_from = first + (lane / 16 * kBordered + slot_of_column<kBordered>(1 + lane / 8 % 2)) * kPitch;
#pragma unroll
    for (int m = 0; m < DepthwiseTaps<kSpan>::kMatrices; ++m) {
        std::uint32_t outer[4][4];
        std::uint32_t inner[2][4];
#pragma unroll
        for (int r = 0; r < 4; ++r) load_matrices(outer[r], outer_from + r * kBordered * kPitch + m * 8);
#pragma unroll
        for (int r = 0; r < 2; ++r) load_matrices(inner[r], inner_from + 2 * r * kBordered * kPitch + m * 8);
        const float2 bias = taps.bias[m];
        const auto tap = [&](int t) { return taps.tap[t].pair[m]; };
        float all[2][4] = {{bias.x, bias.y, bias.x, bias.y}, {bias.x, bias.y, bias.x, bias.y}};
#pragma unroll
        for (int r = 0; r < 2; ++r) {
#pragma unroll
            for (int ky = 0; ky < 3; ++ky) {
                multiply(all[r], outer[r + ky], {tap(3 * ky), tap(3 * ky + 2)});
            }
            multiply(all[r], inner[r], {tap(1 + 3 * r), tap(4 + 3 * r)});
        }
        multiply(all[0], {inner[1][0], inner[1][1]}, {tap(7)});
        multiply(all[1], {inner[0][2], inner[0][3]}, {tap(1)});
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            sums[r][0].pair[m] = narrowed(all[r][0], all[r][1]);
            sums[r][1].pair[m] = narrowed(all[r][2], all[r][3]);
        }
    }
}

// Applies activation (relu or none), store and pooling to the output of a depthwise convolution: the pixels from (x, y) on. `out` and
// `pooled` begin at the channel; an extent of 0 means not written.
template <typename T, typename Channels, int kRows>
__device__ void finish_tile(Image<T> out, Image<T> pooled, Activation activation, int x, int y,
                            Channels (&values)[kRows][2]) {
    const float lower_bound = activation == Activation::relu ? 0.0F : -INFINITY;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            values[r][c] = max_of(values[r][c], lower_bound);
            if (out.holds(x + c, y + r)) store(out.at(x + c, y + r), values[r][c]);
        }
    }
    if (pooled.width == 0) return;
#pragma unroll
    for (int r = 0; r < kRows; r += 2) {
        if (!pooled.holds(x / 2, (y + r) / 2)) continue;
        store(pooled.at(x / 2, (y + r) / 2),
              max_of(max_of(values[r][0], values[r][1]), max_of(values[r + 1][0], values[r + 1][1])));
    }
}

}  // namespace throng::gpu
