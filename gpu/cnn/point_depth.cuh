// The kernel of point_depth.h; point_depth_fp32.cu and point_depth_fp16.cu instantiate it for one precision each.
#pragma once

#include "core/base/error.h"
#include "gpu/cnn/launch.cuh"
#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/tile_depthwise.cuh"
#include "gpu/cnn/tile_load.cuh"

namespace throng::gpu {

// A block computes kOut channels of a tile of kWidth x kHeight pixels. The pointwise products of the tile and its
// border stay in shared memory, where they replace their input pixels.
template <typename T, int kIn, int kOut, int kWidth, int kHeight>
struct PointDepthBlock {
    static constexpr int kPixels = (kWidth + 2) * (kHeight + 2);
    using Product = TileProduct<T, kPixels, kIn, kOut>;
    static constexpr int kMiddlePitch = kOut + kRowPadding<T>;
    static constexpr int kMiddleBytes = kPixels * kMiddlePitch * static_cast<int>(sizeof(T));
    static constexpr int kShared =
        Product::kWeightBytes + (Product::kTileBytes > kMiddleBytes ? Product::kTileBytes : kMiddleBytes);
};

template <typename T, int kIn, int kOut, int kWidth, int kHeight>
__global__ void __launch_bounds__(kTileThreads) point_depth_kernel(const __grid_constant__ PointDepthLaunch launch) {
    using Block = PointDepthBlock<T, kIn, kOut, kWidth, kHeight>;
    using Product = typename Block::Product;
    constexpr int kBordered = kWidth + 2;
    extern __shared__ __align__(16) unsigned char shared[];
    __half* weights = reinterpret_cast<__half*>(shared);
    __half* tile = reinterpret_cast<__half*>(shared + Product::kWeightBytes);
    T* middle = reinterpret_cast<T*>(tile);

    const int block = static_cast<int>(blockIdx.x);
    const int which = (block >= launch.first_tile[1] ? 1 : 0) + (block >= launch.first_tile[2] ? 1 : 0);
    const PointDepthTask& task = launch.task[which];
    const int index = block - launch.first_tile[which];
    const int left = index % launch.tiles_across[which] * kWidth;
    const int top = index / launch.tiles_across[which] * kHeight;
    const int first = static_cast<int>(blockIdx.y) * kOut;
    const int image = static_cast<int>(blockIdx.z);

    release_next();
    Product::load_weights(weights, task.point, 0, first);
    wait_for_previous();
    load_tile<T, Product, kBordered, kHeight + 2, kIn>(tile, task.in, task.up, image, left - 1, top - 1);

    Product product;
    product.start(task.point.bias + first);
    product.add(tile, weights);
    __syncthreads();
    struct Pixel {
        T* at;
        bool inside;
    };
    product.for_each(
        [&](int pixel) {
            const int x = left - 1 + pixel % kBordered;
            const int y = top - 1 + pixel / kBordered;
            // Outside the map the input of the depthwise convolution is zero, not the bias of the pointwise one.
            const bool inside = x >= 0 && x < task.in.width && y >= 0 && y < task.in.height;
            return Pixel{middle + pixel * Block::kMiddlePitch, inside};
        },
        [](Pixel pixel, int channel, float a, float b) {
            store2(pixel.at + channel, pixel.inside ? a : 0.0F, pixel.inside ? b : 0.0F);
        });
    __syncthreads();

    // As many rows per thread as possible while all threads have work.
    constexpr int kRows = kOut / 4 * (kWidth / 2) * (kHeight / 4) >= kTileThreads ? 4 : 2;
    depthwise_tile<T, kWidth, kHeight, kOut, Block::kMiddlePitch, kRows>(
        middle, task.depth, first, [&](int dx, int dy, int channel, float4(&sums)[kRows][2]) {
            finish_tile(Image<T>(task.out, image, first + channel), Image<T>(task.pooled, image, first + channel),
                        task.relu, left + dx, top + dy, sums);
        });
}

template <typename T, int kIn, int kOut, int kWidth, int kHeight>
void launch_point_depth_as(const PointDepthTask* tasks, int count, int images, const Chain& chain) {
    using Block = PointDepthBlock<T, kIn, kOut, kWidth, kHeight>;
    PointDepthLaunch launch;
    int tiles = 0;
    for (int i = 0; i < kMaxMerge; ++i) {
        launch.first_tile[i] = tiles;
        if (i >= count) continue;
        launch.task[i] = tasks[i];
        launch.tiles_across[i] = (tasks[i].in.width + kWidth - 1) / kWidth;
        tiles += launch.tiles_across[i] * ((tasks[i].in.height + kHeight - 1) / kHeight);
    }
    launch.first_tile[kMaxMerge] = tiles;
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(tasks[0].point.out / kOut),
                    static_cast<unsigned>(images));
    launch_chained(point_depth_kernel<T, kIn, kOut, kWidth, kHeight>, "point_depth_kernel",
                   {grid, dim3(kTileThreads), Block::kShared}, chain, launch);
}

// The combinations that point_depth_tile can return.
template <typename T>
void launch_point_depth_in(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                           const Chain& chain) {
    const auto is = [&](int in, int out, int width) {
        return tasks[0].point.in == in && tile.channels == out && tile.width == width;
    };
    if (is(16, 16, 16)) return launch_point_depth_as<T, 16, 16, 16, 8>(tasks, count, images, chain);
    if (is(16, 32, 16)) return launch_point_depth_as<T, 16, 32, 16, 8>(tasks, count, images, chain);
    if (is(32, 16, 16)) return launch_point_depth_as<T, 32, 16, 16, 8>(tasks, count, images, chain);
    if (is(32, 32, 16)) return launch_point_depth_as<T, 32, 32, 16, 8>(tasks, count, images, chain);
    if (is(64, 64, 16)) return launch_point_depth_as<T, 64, 64, 16, 8>(tasks, count, images, chain);
    if (is(64, 32, 16)) return launch_point_depth_as<T, 64, 32, 16, 8>(tasks, count, images, chain);
    if (is(64, 32, 8)) return launch_point_depth_as<T, 64, 32, 8, 8>(tasks, count, images, chain);
    if (is(64, 16, 8)) return launch_point_depth_as<T, 64, 16, 8, 8>(tasks, count, images, chain);
    throw Error(ErrorKind::internal, "no kernel for this tile", "launch_point_depth");
}

}  // namespace throng::gpu
