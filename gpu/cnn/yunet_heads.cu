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
using HeadProduct = TileProduct<T, kPixels, kHeadChannelsIn, kHeadChannels>;

template <typename T>
__global__ void __launch_bounds__(kTileThreads) yunet_heads_kernel(const __grid_constant__ YunetHeads heads) {
    using Product = HeadProduct<T>;
    __shared__ __align__(16) __half weights[Product::kWeightBytes / 2];
    __shared__ __align__(16) __half tile[Product::kTileBytes / 2];
    __shared__ float middle[kPixels * kMiddlePitch];
    __shared__ UnitWeights<float, kHeadChannels> unit;  // the depthwise convolution has 32 bits

    const int block = static_cast<int>(blockIdx.x);
    int which = 0;
    for (int i = 1; i < kMaxLevels; ++i) which += block >= heads.first_tile[i] ? 1 : 0;
    const YunetHead& head = heads.head[which];
    const int across = (head.in.width + kSide - 1) / kSide;
    const int left = (block - heads.first_tile[which]) % across * kSide;
    const int top = (block - heads.first_tile[which]) / across * kSide;
    const int image = static_cast<int>(blockIdx.z);

    trigger_launch_completion();
    Product::load_weights(weights, head.point, 0, 0);
    unit.load(head.depth, head.point, 0);
    wait_for_previous();
    load_tile<T, Product, kBordered, kBordered, kHeadChannelsIn>(tile, head.in, Map{}, image, left - 1, top - 1);
    Product product;
    product.start(unit.point_bias);
    product.add(tile, weights);
    product.for_each([](int pixel) { return pixel; },
                     [&](int pixel, int channel, float a, float b) {
                         const int x = left - 1 + column_at<kBordered>(pixel % kBordered);
                         const int y = top - 1 + pixel / kBordered;
                         const bool inside = x >= 0 && x < head.in.width && y >= 0 && y < head.in.height;
                         middle[pixel * kMiddlePitch + channel] = inside ? a : 0.0F;
                         middle[pixel * kMiddlePitch + channel + 1] = inside ? b : 0.0F;
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
    const Box box = yunet_box(value(2), value(3), value(4), value(5), x, y, head.stride);
    put_box(heads.sink, image, box, score, heads.has_landmarks,
            [&](int i) { return yunet_landmark(value(6 + i), i % 2 == 0 ? x : y, head.stride); });
}

}  // namespace

void launch_yunet_heads(const YunetHeads& heads, int images, Precision precision, const LaunchChain& chain) {
    YunetHeads launch = heads;
    int tiles = 0;
    for (int i = 0; i < kMaxLevels; ++i) {
        launch.first_tile[i] = tiles;
        if (i >= heads.count) continue;
        const Map& in = heads.head[i].in;
        tiles += ((in.width + kSide - 1) / kSide) * ((in.height + kSide - 1) / kSide);
    }
    launch.first_tile[kMaxLevels] = tiles;
    const LaunchSize shape{dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(images)), dim3(kTileThreads), 0};
    chain.launch("yunet_heads_kernel",
                 precision == Precision::fp32 ? yunet_heads_kernel<float> : yunet_heads_kernel<__half>, shape, launch);
}

}  // namespace throng::gpu
