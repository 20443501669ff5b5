#include "gpu/cnn/point_depth.h"

#include <algorithm>

#include "gpu/cnn/task_blocks.h"
#include "gpu/cnn/tile_depthwise.cuh"
#include "gpu/cnn/tile_load.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kTileWidth = 16;

struct PointDepthLaunch {
    StepTask task[kMaxUnits];
    TaskBlocks<kMaxUnits> blocks;
};

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

// A multiprocessor runs four blocks of few channels, with 64 registers per thread; 0: no such limit.
template <typename T, int kIn, int kOut, int kHeight>
__global__ void __launch_bounds__(kTileThreads, kIn == 16 && kOut <= 32 ? 4 : 0)
    point_depth_kernel(const __grid_constant__ PointDepthLaunch launch) {
    using Block = PointDepthBlock<T, kIn, kOut, kHeight>;
    using Product = typename Block::Product;
    extern __shared__ __align__(16) unsigned char shared[];
    __half* weights = reinterpret_cast<__half*>(shared);
    auto& unit = *reinterpret_cast<UnitWeights<T, kOut>*>(shared + Product::kWeightBytes);
    __half* tile = reinterpret_cast<__half*>(shared + Product::kWeightBytes + sizeof(unit));
    T* middle = reinterpret_cast<T*>(tile);

    const int block = static_cast<int>(blockIdx.x);
    const int which = launch.blocks.task_of(block);
    const StepTask& task = launch.task[which];
    const int index = block - launch.blocks.first(which);
    const int left = index % tiles_across(task.in, kTileWidth) * kTileWidth;
    const int top = index / tiles_across(task.in, kTileWidth) * kHeight;
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
    product.template clear_outside<Block::kBordered, kHeight + 2>(task.in, left - 1, top - 1);
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
            finish_tile(Image<T>(Map{}, 0), Image<T>(task.pooled, image, first + mine), task.activation, left + x,
                        top + y, sums);
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
                        task.activation, left + dx, top + dy, values);
        };
        // As many rows per thread as possible while all threads have work.
        constexpr int kRows = kOut / 4 * (kTileWidth / 2) * (kHeight / 4) >= kTileThreads ? 4 : 2;
        depthwise_tile<kTileWidth, kHeight, kOut, Block::kMiddlePitch, kRows>(middle, unit.depth(), finish);
    }
}

template <typename T, int kIn, int kOut, int kHeight>
void launch_point_depth_as(const StepTask* tasks, int count, int images, const LaunchChain& chain) {
    PointDepthLaunch launch;
    std::copy_n(tasks, count, launch.task);
    launch.blocks = {count, [&](int i) { return tile_count(tasks[i].in, kTileWidth, kHeight); }};
    const dim3 grid(launch.blocks.total(), static_cast<unsigned>(tasks[0].point.out / kOut),
                    static_cast<unsigned>(images));
    chain.launch("point_depth_kernel", point_depth_kernel<T, kIn, kOut, kHeight>,
                 {grid, dim3(kTileThreads), PointDepthBlock<T, kIn, kOut, kHeight>::kShared}, launch);
}

template <typename T>
void launch_point_depth_in(const StepTask* tasks, int count, int images, const DeviceInfo& device,
                           const LaunchChain& chain) {
    const int in = tasks[0].point.in;
    const int out = tasks[0].point.out;
    std::int64_t pixels = 0;
    for (int i = 0; i < count; ++i) pixels += std::int64_t{tasks[i].in.width} * tasks[i].in.height * images;
    constexpr std::size_t kHighTile = 76U << 10;  // bytes, in 32 bits
    const auto fills = [&](int height, int channels) {
        return out % channels == 0 && (height < 8 || device.shared_memory >= kHighTile) &&
               pixels / (kTileWidth * height) * (out / channels) >= device.multiprocessors;
    };
    if (in == 16 && fills(8, 64)) return launch_point_depth_as<T, 16, 64, 8>(tasks, count, images, chain);
    if (in == 16 && out % 32 == 0) return launch_point_depth_as<T, 16, 32, 8>(tasks, count, images, chain);
    if (in == 16) return launch_point_depth_as<T, 16, 16, 8>(tasks, count, images, chain);
    if (in == 32 && out % 32 == 0) return launch_point_depth_as<T, 32, 32, 8>(tasks, count, images, chain);
    if (in == 32) return launch_point_depth_as<T, 32, 16, 8>(tasks, count, images, chain);
    if (fills(8, 64)) return launch_point_depth_as<T, 64, 64, 8>(tasks, count, images, chain);
    if (fills(8, 32)) return launch_point_depth_as<T, 64, 32, 8>(tasks, count, images, chain);
    if (fills(4, 32)) return launch_point_depth_as<T, 64, 32, 4>(tasks, count, images, chain);
    launch_point_depth_as<T, 64, 16, 4>(tasks, count, images, chain);
}

}  // namespace

bool point_depth_fits(int channels_in, int channels_out) {
    return (channels_in == 16 || channels_in == 32 || channels_in == 64) && channels_out % kChannelStep == 0;
}

void launch_point_depth(const StepTask* tasks, int count, int images, Precision precision, const DeviceInfo& device,
                        const LaunchChain& chain) {
    precision == Precision::fp32 ? launch_point_depth_in<float>(tasks, count, images, device, chain)
                                 : launch_point_depth_in<__half>(tasks, count, images, device, chain);
}

}  // namespace throng::gpu
