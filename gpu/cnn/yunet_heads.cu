#include "gpu/cnn/box_sink.cuh"
#include "gpu/cnn/heads.h"
#include "gpu/cnn/tile_depthwise.cuh"
#include "gpu/cnn/tile_load.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kSide = 8;  // cells per tile side
constexpr int kBordered = kSide + 2;
constexpr int kPixels = kBordered * kBordered;
constexpr int kMiddlePitch = kHeadChannels + 1;  // in 32-bit words: neighboring cells start in different banks

template <typename T>
__global__ void __launch_bounds__(kTileThreads) yunet_heads_kernel(const __grid_constant__ YunetHeads heads) {
    using Product = TileProduct<T, kPixels, kHeadChannelsIn, kHeadChannels, ChannelOrder::stored>;
    __shared__ __align__(16) __half weights[Product::kWeightBytes / 2];
    __shared__ __align__(16) __half tile[Product::kTileBytes / 2];
    __shared__ float middle[kPixels * kMiddlePitch];
    __shared__ UnitWeights<float, kHeadChannels> unit;  // the depthwise convolution has 32 bits

    const int block = static_cast<int>(blockIdx.x);
    const int which = heads.blocks.task_of(block);
    const StepTask& head = heads.head[which];
    const int index = block - heads.blocks.first(which);
    const int left = index % tiles_across(head.in, kSide) * kSide;
    const int top = index / tiles_across(head.in, kSide) * kSide;
    const int image = static_cast<int>(blockIdx.z);

    trigger_launch_completion();
    Product::load_weights(weights, head.point, 0, 0);
    unit.load(head.depth, head.point, 0);
    wait_for_previous();
    load_tile<T, Product, kBordered, kBordered, kHeadChannelsIn>(tile, head.in, Map{}, image, left - 1, top - 1);
    Product product;
    product.start(unit.point_bias);
    product.add(tile, weights);
    product.template clear_outside<kBordered, kBordered>(head.in, left - 1, top - 1);
    product.template for_each_row<kPixels>([&](int pixel, int channel, const float(&sums)[2]) {
        middle[pixel * kMiddlePitch + channel] = sums[0];
        middle[pixel * kMiddlePitch + channel + 1] = sums[1];
    });
    __syncthreads();

    // One cell per thread; only few cells need more than the first two channels.
    const int dx = static_cast<int>(threadIdx.x) % kSide;
    const int dy = static_cast<int>(threadIdx.x) / kSide;
    const int x = left + dx;
    const int y = top + dy;
    if (dy >= kSide || x >= head.in.width || y >= head.in.height) return;
    const auto value = [&](int channel) {
        float sum = unit.bias[channel];
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            sum = fmaf(
                middle[((dy + t / 3) * kBordered + slot_of_column<kBordered>(dx + t % 3)) * kMiddlePitch + channel],
                unit.taps[t * kHeadChannels + channel], sum);
        }
        return sum;
    };
    const float score = yunet_score(value(0), value(1));
    if (!(score >= heads.sink.threshold)) return;
    const auto stride = static_cast<float>(head.stride);
    const Box box = yunet_box(value(2), value(3), value(4), value(5), x, y, stride);
    put_box(heads.sink, image, box, score, heads.has_landmarks,
            [&](int i) { return yunet_landmark(value(6 + i), i % 2 == 0 ? x : y, stride); });
}

}  // namespace

void launch_yunet_heads(const YunetHeads& heads, int images, Precision precision, const LaunchChain& chain) {
    YunetHeads launch = heads;
    launch.blocks = {heads.count, [&](int i) { return tile_count(heads.head[i].in, kSide, kSide); }};
    const LaunchSize shape{dim3(launch.blocks.total(), 1, static_cast<unsigned>(images)), dim3(kTileThreads), 0};
    chain.launch("yunet_heads_kernel",
                 precision == Precision::fp32 ? yunet_heads_kernel<float> : yunet_heads_kernel<__half>, shape, launch);
}

}  // namespace throng::gpu
