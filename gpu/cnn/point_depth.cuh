// The kernel of point_depth.h; point_depth_fp32.cu and point_depth_fp16.cu instantiate it for one precision each.
#pragma once

#include "core/base/error.h"
#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/tile_depthwise.cuh"
#include "gpu/cnn/tile_load.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// A block computes kOut channels of a tile of kTileWidth x kHeight pixels. The pointwise products of the tile and its
// border stay in shared memory, where they replace their input pixels.
template <typename T, int kIn, int kOut, int kHeight>
struct PointDepthBlock {
    static constexpr bool kTensorDepthwise = kParts<T> == 1;
    static constexpr int kBordered = kTileWidth + 2;
    using Product = TileProduct<T, kBordered*(kHeight + 2), kIn, kOut,
                                kTensorDepthwise ? ChannelOrder::tensor_depthwise : ChannelOrder::stored>;
    static constexpr int kMiddlePitch = kOut + kRowPadding<T>;
    static constexpr int kMiddleBytes = Product::kAllRows * kMiddlePitch * static_cast<int>(sizeof(T));
    static constexpr int kShared = Product::kWeightBytes + static_cast<int>(sizeof(UnitWeights<T, kOut>)) +
                                   (Product::kTileBytes > kMiddleBytes ? Product::kTileBytes : kMiddleBytes);
};

template <typename T, int kIn, int kOut, int kHeight>
__global__ void __launch_bounds__(kTileThreads) point_depth_kernel(const __grid_constant__ PointDepthLaunch launch) {
    using Block = PointDepthBlock<T, kIn, kOut, kHeight>;
    using Product = typename Block::Product;
    extern __shared__ __align__(16) unsigned char shared[];
    __half* weights = reinterpret_cast<__half*>(shared);
    auto& unit = *reinterpret_cast<UnitWeights<T, kOut>*>(shared + Product::kWeightBytes);
    __half* tile = reinterpret_cast<__half*>(shared + Product::kWeightBytes + sizeof(unit));
    T* middle = reinterpret_cast<T*>(tile);

    const int block = static_cast<int>(blockIdx.x);
    const int which = (block >= launch.first_tile[1] ? 1 : 0) + (block >= launch.first_tile[2] ? 1 : 0);
    const PointDepthTask& task = launch.task[which];
    const int index = block - launch.first_tile[which];
    const int left = index % launch.tiles_across[which] * kTileWidth;
    const int top = index / launch.tiles_across[which] * kHeight;
    const int first = static_cast<int>(blockIdx.y) * kOut;
    const int image = static_cast<int>(blockIdx.z);

    trigger_launch_completion();
    Product::load_weights(weights, task.point, 0, first);
    unit.load(task.depth, task.point, first);
    wait_for_previous();
    load_tile<T, Product, Block::kBordered, kHeight + 2, kIn>(tile, task.in, task.up, image, left - 1, top - 1);
    Product product;
    product.start(unit.point_bias);
    product.add(tile, weights);
    // Outside the map the input of the depthwise convolution is zero, not the bias of the pointwise one.
    if (left == 0 || top == 0 || left + kTileWidth >= task.in.width || top + kHeight >= task.in.height) {
        product.clear_rows([&](int pixel) {
            const int x = left - 1 + column_at<Block::kBordered>(pixel % Block::kBordered);
            const int y = top - 1 + pixel / Block::kBordered;
            return x >= 0 && x < task.in.width && y >= 0 && y < task.in.height;
        });
    }
    __syncthreads();
    product.template store<Block::kMiddlePitch>(middle);
    __syncthreads();

    if constexpr (Block::kTensorDepthwise) {
        constexpr int kSpan = depthwise_span(kOut);
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int channel = warp % (kOut / kSpan) * kSpan;
        const int y = warp / (kOut / kSpan) * 2;
        using Taps = DepthwiseTaps<kSpan>;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int x = lane / 4 * 2;
        const int mine = channel + lane % 4 * Taps::kChannels;
        typename Taps::Values sums[2][2];
        if (y < kHeight) {
            const Taps taps(unit.depth(), channel);
            depthwise_pairs<kSpan, Block::kBordered, Block::kMiddlePitch>(middle, taps, channel, 0, y, sums);
            finish_tile(Image<T>(Map{}, 0), Image<T>(task.pooled, image, first + mine), task.relu, left + x, top + y,
                        sums);
        }
        if (task.out.data == nullptr) return;
        // Through shared memory: warps store whole pixels.
        __syncthreads();
        if (y < kHeight) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                store(middle + ((y + i / 2) * kTileWidth + x + i % 2) * Block::kMiddlePitch + mine, sums[i / 2][i % 2]);
            }
        }
        __syncthreads();
        store_tile<kTileWidth, kHeight, kOut, Block::kMiddlePitch>(middle, Image<T>(task.out, image, first), left, top);
    } else {
        const auto finish = [&](int dx, int dy, int channel, auto& values) {
            finish_tile(Image<T>(task.out, image, first + channel), Image<T>(task.pooled, image, first + channel),
                        task.relu, left + dx, top + dy, values);
        };
        // As many rows per thread as possible while all threads have work.
        constexpr int kRows = kOut / 4 * (kTileWidth / 2) * (kHeight / 4) >= kTileThreads ? 4 : 2;
        depthwise_tile<T, kTileWidth, kHeight, kOut, Block::kMiddlePitch, kRows>(middle, unit.depth(), 0, finish);
    }
}

template <typename T, int kIn, int kOut, int kHeight>
void launch_point_depth_as(const PointDepthTask* tasks, int count, int images, const LaunchChain& chain) {
    using Block = PointDepthBlock<T, kIn, kOut, kHeight>;
    PointDepthLaunch launch;
    int tiles = 0;
    for (int i = 0; i < kMaxMerge; ++i) {
        launch.first_tile[i] = tiles;
        if (i >= count) continue;
        launch.task[i] = tasks[i];
        launch.tiles_across[i] = (tasks[i].in.width + kTileWidth - 1) / kTileWidth;
        tiles += launch.tiles_across[i] * ((tasks[i].in.height + kHeight - 1) / kHeight);
    }
    launch.first_tile[kMaxMerge] = tiles;
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(tasks[0].point.out / kOut),
                    static_cast<unsigned>(images));
    chain.launch("point_depth_kernel", point_depth_kernel<T, kIn, kOut, kHeight>,
                 {grid, dim3(kTileThreads), Block::kShared}, launch);
}

// The combinations that point_depth_tile can return.
template <typename T>
void launch_point_depth_in(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                           const LaunchChain& chain) {
    const auto is = [&](int in, int out, int height) {
        return tasks[0].point.in == in && tile.channels == out && tile.height == height;
    };
    if (is(16, 16, 8)) return launch_point_depth_as<T, 16, 16, 8>(tasks, count, images, chain);
    if (is(16, 64, 8)) return launch_point_depth_as<T, 16, 64, 8>(tasks, count, images, chain);
    if (is(16, 32, 8)) return launch_point_depth_as<T, 16, 32, 8>(tasks, count, images, chain);
    if (is(32, 16, 8)) return launch_point_depth_as<T, 32, 16, 8>(tasks, count, images, chain);
    if (is(32, 32, 8)) return launch_point_depth_as<T, 32, 32, 8>(tasks, count, images, chain);
    if (is(64, 64, 8)) return launch_point_depth_as<T, 64, 64, 8>(tasks, count, images, chain);
    if (is(64, 32, 8)) return launch_point_depth_as<T, 64, 32, 8>(tasks, count, images, chain);
    if (is(64, 32, 4)) return launch_point_depth_as<T, 64, 32, 4>(tasks, count, images, chain);
    if (is(64, 16, 4)) return launch_point_depth_as<T, 64, 16, 4>(tasks, count, images, chain);
    throw Error(ErrorKind::internal, "no kernel for this tile", "launch_point_depth");
}

}  // namespace throng::gpu
