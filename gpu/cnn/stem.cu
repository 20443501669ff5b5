#include "gpu/cnn/launch.cuh"
#include "gpu/cnn/stem.h"
#include "gpu/cnn/tile_depthwise.cuh"

namespace throng::gpu {
namespace {

// 16 x 32 pixels with the border, two for every thread.
constexpr int kWidth = 30;
constexpr int kHeight = 14;
constexpr int kBorderedWidth = kWidth + 2;
constexpr int kBorderedPixels = kBorderedWidth * (kHeight + 2);
static_assert(kBorderedPixels == 2 * kTileThreads);

// The convolution at a pixel of the output. Loops are unrolled so that weights are immediate addresses.
template <typename T>
__device__ void stem_pixel(const StemTask& task, int image, int x, int y, float (&sums)[kStemChannels]) {
#pragma unroll
    for (int c = 0; c < kStemChannels; ++c) sums[c] = task.weights.conv_bias[c];
#pragma unroll
    for (int t = 0; t < 9; ++t) {
        const int column = 2 * x - 1 + t % 3;
        const int row = 2 * y - 1 + t / 3;
        const bool inside = column >= 0 && column < task.in.width && row >= 0 && row < task.in.height;
        const float4 v = inside ? load4(element<const T>(task.in, image, column, row)) : float4{};
#pragma unroll
        for (int c = 0; c < kStemChannels; ++c) {
            sums[c] = fmaf(v.x, task.weights.conv[t][0][c], sums[c]);
            sums[c] = fmaf(v.y, task.weights.conv[t][1][c], sums[c]);
            sums[c] = fmaf(v.z, task.weights.conv[t][2][c], sums[c]);
        }
    }
    if (!task.weights.conv_relu) return;
#pragma unroll
    for (float& sum : sums) sum = fmaxf(sum, 0.0F);
}

template <typename T>
__device__ void store_channels(T* at, const float (&values)[kStemChannels]) {
#pragma unroll
    for (int c = 0; c < kStemChannels; c += 4) {
        store4(at + c, {values[c], values[c + 1], values[c + 2], values[c + 3]});
    }
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads) stem_kernel(const __grid_constant__ StemTask task) {
    const int x = static_cast<int>(blockIdx.x) * 32 + threadIdx.x % 32;
    const int y = static_cast<int>(blockIdx.y) * (kTileThreads / 32) + threadIdx.x / 32;
    const int image = static_cast<int>(blockIdx.z);
    release_next();
    wait_for_previous();
    if (x >= task.out.width || y >= task.out.height) return;
    float sums[kStemChannels];
    stem_pixel<T>(task, image, x, y, sums);
    store_channels(element<T>(task.out, image, x, y), sums);
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads) stem_unit_kernel(const __grid_constant__ StemTask task) {
    constexpr int kPitch = kStemChannels + kRowPadding<T>;
    __shared__ __align__(16) T tile[kBorderedPixels * kPitch];
    const int left = static_cast<int>(blockIdx.x) * kWidth;
    const int top = static_cast<int>(blockIdx.y) * kHeight;
    const int image = static_cast<int>(blockIdx.z);
    const int width = (task.in.width + 1) / 2;
    const int height = (task.in.height + 1) / 2;
    release_next();
    wait_for_previous();
#pragma unroll 1
    for (int i = threadIdx.x; i < kBorderedPixels; i += kTileThreads) {
        const int x = left - 1 + i % kBorderedWidth;
        const int y = top - 1 + i / kBorderedWidth;
        float out[kStemChannels] = {};
        if (x >= 0 && x < width && y >= 0 && y < height) {
            float in[kStemChannels];
            stem_pixel<T>(task, image, x, y, in);
#pragma unroll
            for (int c = 0; c < kStemChannels; ++c) out[c] = task.weights.point_bias[c];
#pragma unroll
            for (int k = 0; k < kStemChannels; ++k) {
#pragma unroll
                for (int c = 0; c < kStemChannels; ++c) out[c] = fmaf(in[k], task.weights.point[k][c], out[c]);
            }
        }
        store_channels(tile + i * kPitch, out);
    }
    __syncthreads();
    depthwise_tile<T, kWidth, kHeight, kStemChannels, kPitch, 2>(
        tile, task.weights.depth, 0, [&](int dx, int dy, int channel, float4(&sums)[2][2]) {
            const int x = left + dx;
            const int y = top + dy;
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int c = 0; c < 2; ++c) {
                    sums[r][c] = relu4(sums[r][c], task.weights.relu);
                    if (task.out.data != nullptr && x + c < width && y + r < height) {
                        store4(element<T>(task.out, image, x + c, y + r, channel), sums[r][c]);
                    }
                }
            }
            if (task.pooled.data != nullptr && x / 2 < task.pooled.width && y / 2 < task.pooled.height) {
                store4(element<T>(task.pooled, image, x / 2, y / 2, channel),
                       max4(max4(sums[0][0], sums[0][1]), max4(sums[1][0], sums[1][1])));
            }
        });
}

dim3 grid_of(int width, int height, int tile_width, int tile_height, int images) {
    return dim3(static_cast<unsigned>((width + tile_width - 1) / tile_width),
                static_cast<unsigned>((height + tile_height - 1) / tile_height), static_cast<unsigned>(images));
}

}  // namespace

void launch_stem(const StemTask& task, int images, Precision precision, const Chain& chain) {
    const LaunchShape shape{grid_of(task.out.width, task.out.height, 32, kTileThreads / 32, images), kTileThreads, 0};
    launch_chained(precision == Precision::fp32 ? stem_kernel<float> : stem_kernel<__half>, "stem_kernel", shape, chain,
                   task);
}

void launch_stem_unit(const StemTask& task, int images, Precision precision, const Chain& chain) {
    const LaunchShape shape{grid_of((task.in.width + 1) / 2, (task.in.height + 1) / 2, kWidth, kHeight, images),
                            kTileThreads, 0};
    launch_chained(precision == Precision::fp32 ? stem_unit_kernel<float> : stem_unit_kernel<__half>,
                   "stem_unit_kernel", shape, chain, task);
}

}  // namespace throng::gpu
