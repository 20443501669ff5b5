#include "gpu/cnn/stem.h"

#include "gpu/cnn/launch.cuh"
#include "gpu/cnn/tile_depthwise.cuh"

namespace throng::gpu {
namespace {

// Pixels of the convolution per block: a warp has two rows, in four pieces of 16 pixels.
constexpr int kAcross = 32;
constexpr int kDown = 16;
static_assert(kDown * 32 == 2 * kTileThreads);

// A thread's fragments of weights [16][kDepth], part by part (tensor_core.cuh).
template <typename T, int kDepth>
struct StemMatrix {
    std::uint32_t share[kParts<T>][kDepth / 16][2][2];  // [part][step of 16 channels in][8 channels out][]

    __device__ explicit StemMatrix(const PointWeights& all) {
        const int lane = threadIdx.x % 32;
        const auto* from = static_cast<const __half*>(all.weights) + lane / 4 * kDepth + lane % 4 * 2;
#pragma unroll
        for (int p = 0; p < kParts<T>; ++p) {
#pragma unroll
            for (int k = 0; k < kDepth / 16; ++k) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int at = (p * kStemChannels + i / 2 * 8) * kDepth + k * 16 + i % 2 * 8;
                    share[p][k][i / 2][i % 2] = __ldg(reinterpret_cast<const std::uint32_t*>(from + at));
                }
            }
        }
    }
};

// A thread's fragment of an operand.
template <typename T>
struct StemShare {
    std::uint32_t share[kParts<T>][4];

    __device__ void put(int i, float a, float b) {
        const __half2 high = narrowed(a, b);
        share[0][i] = *reinterpret_cast<const std::uint32_t*>(&high);
        if constexpr (kParts<T> == 2) {
            const float2 wide = __half22float2(high);
            const __half2 low = __floats2half2_rn(a - wide.x, b - wide.y);
            share[1][i] = *reinterpret_cast<const std::uint32_t*>(&low);
        }
    }
    __device__ void put(int i, float2 v) { put(i, v.x, v.y); }
    __device__ void put(int i, __half2 v) { share[0][i] = *reinterpret_cast<const std::uint32_t*>(&v); }
    __device__ void put_zero(int i) {
#pragma unroll
        for (int p = 0; p < kParts<T>; ++p) share[p][i] = 0;
    }

    template <int kDepth>
    __device__ void multiply_by(const StemMatrix<T, kDepth>& matrix, int step, float (&sums)[2][4]) const {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            if constexpr (kParts<T> == 2) {
                multiply(sums[j], share[1], matrix.share[0][step][j]);
                multiply(sums[j], share[0], matrix.share[1][step][j]);
            }
            multiply(sums[j], share[0], matrix.share[0][step][j]);
        }
    }
};

__device__ void start(float (&sums)[2][4], const float* bias) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        const float2 b = __ldg(reinterpret_cast<const float2*>(bias + j * 8 + threadIdx.x % 4 * 2));
        sums[j][0] = sums[j][2] = b.x;
        sums[j][1] = sums[j][3] = b.y;
    }
}

// Position of a thread's fragment in the input: two channels of every second tap, for pixels g and g + 8.
class StemTaps {
public:
    __device__ StemTaps(const Map& in) : row_(in.width * kInputChannels) {
        const bool odd = threadIdx.x % 4 >= 2;  // odd taps
#pragma unroll
        for (int n = 0; n < kCount; ++n) {
            across_[n] = odd ? (2 * n + 1) % 3 : 2 * n % 3;
            down_[n] = odd ? (2 * n + 1) / 3 : 2 * n / 3;
            offset_[n] = down_[n] * row_ + across_[n] * kInputChannels + static_cast<int>(threadIdx.x) % 2 * 2;
        }
    }

    static constexpr int kCount = 5;  // taps 0 2 4 6 8, or 1 3 5 7 and one with zero weights
    // Offset from the upper left of the pixel's nine input pixels.
    __device__ int offset(int n) const {
        return offset_[n];
    }
    __device__ int across(int n) const {
        return across_[n];
    }
    __device__ int down(int n) const {
        return down_[n];
    }

private:
    int row_;
    int across_[kCount], down_[kCount], offset_[kCount];
};

__device__ inline float2 load_pair(const float* at) {
    return *reinterpret_cast<const float2*>(at);
}
__device__ inline __half2 load_pair(const __half* at) {
    return *reinterpret_cast<const __half2*>(at);
}

// Computes the thread's part of the convolution at the 16 output pixels from (x, y) on. kEdge: some of the nine input
// pixels are outside the input.
template <typename T, bool kEdge>
__device__ void convolve(const StemTask& task, const StemMatrix<T, kStemDepth>& matrix, const StemTaps& taps, int image,
                         int x, int y, float (&sums)[2][4]) {
    const int column = 2 * (x + static_cast<int>(threadIdx.x) % 32 / 4) - 1;
    const int row = 2 * y - 1;
    const Image<const T> in(task.in, image);
    const T* map = in.data;
    const T* from = in.at(column, row);
    decltype(load_pair(map)) values[StemTaps::kCount][2];  // all loads are in flight before the first is used
#pragma unroll
    for (int n = 0; n < StemTaps::kCount; ++n) {
#pragma unroll
        for (int second = 0; second < 2; ++second) {
            bool inside = 2 * n < 8 || threadIdx.x % 4 < 2;  // there is no tap 9
            if (kEdge) {
                inside = inside && in.holds(column + second * 16 + taps.across(n), row + taps.down(n));
            }
            values[n][second] = load_pair(inside ? from + second * 16 * kInputChannels + taps.offset(n) : map);
            if (!inside) values[n][second] = {};
        }
    }
    start(sums, task.weights.conv.bias);
#pragma unroll
    for (int step = 0; step < kStemDepth / 16; ++step) {
        StemShare<T> share;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int n = step * 2 + i / 2;
            if (n < StemTaps::kCount) {
                share.put(i, values[n][i % 2]);
            } else {
                share.put_zero(i);
            }
        }
        share.multiply_by(matrix, step, sums);
    }
    if (!task.weights.conv_relu) return;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
#pragma unroll
        for (float& sum : sums[j]) sum = fmaxf(sum, 0.0F);
    }
}

template <typename T>
__device__ void convolve(const StemTask& task, const StemMatrix<T, kStemDepth>& matrix, const StemTaps& taps, int image,
                         int x, int y, float (&sums)[2][4]) {
    const bool within =
        x > 0 && y > 0 && 2 * (x + 15) + 1 < task.in.width && 2 * y + 1 < task.in.height;  // uniform in the warp
    if (within) {
        convolve<T, false>(task, matrix, taps, image, x, y, sums);
    } else {
        convolve<T, true>(task, matrix, taps, image, x, y, sums);
    }
}

// Calls store(pixel, channel, a, b) for the thread's part of 16 pixels.
template <typename Store>
__device__ void hand_out(const float (&sums)[2][4], Store store) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            store(lane / 4 + half * 8, j * 8 + lane % 4 * 2, sums[j][2 * half], sums[j][2 * half + 1]);
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads) stem_kernel(const __grid_constant__ StemTask task) {
    const int image = static_cast<int>(blockIdx.z);
    release_next();
    const StemMatrix<T, kStemDepth> matrix(task.weights.conv);
    const StemTaps taps(task.in);
    wait_for_previous();
    const Image<T> out(task.out, image);
    for (int piece = 0; piece < 4; ++piece) {
        const int left = static_cast<int>(blockIdx.x) * kAcross + piece % 2 * 16;
        const int y = static_cast<int>(blockIdx.y) * kDown + static_cast<int>(threadIdx.x) / 32 * 2 + piece / 2;
        float sums[2][4];
        convolve<T>(task, matrix, taps, image, left, y, sums);
        hand_out(sums, [&](int pixel, int channel, float a, float b) {
            const int x = left + pixel;
            if (out.holds(x, y)) store2(out.at(x, y) + channel, a, b);
        });
    }
}

// All pixels except the outermost ones belong to the unit's output.
template <typename T>
__global__ void __launch_bounds__(kTileThreads) stem_unit_kernel(const __grid_constant__ StemTask task) {
    constexpr int kPitch = kStemChannels + kRowPadding<T>;
    constexpr int kWidth = kAcross - 2;
    constexpr int kHeight = kDown - 2;
    __shared__ __align__(16) T tile[kAcross * kDown * kPitch];
    const int left = static_cast<int>(blockIdx.x) * kWidth;
    const int top = static_cast<int>(blockIdx.y) * kHeight;
    const int image = static_cast<int>(blockIdx.z);
    const int width = (task.in.width + 1) / 2;
    const int height = (task.in.height + 1) / 2;
    release_next();
    const StemMatrix<T, kStemDepth> conv(task.weights.conv);
    const StemMatrix<T, kStemChannels> point(task.weights.point);
    const StemTaps taps(task.in);
    wait_for_previous();
    for (int piece = 0; piece < 4; ++piece) {
        const int column = piece % 2 * 16;
        const int row = static_cast<int>(threadIdx.x) / 32 * 2 + piece / 2;
        float sums[2][4];
        convolve<T>(task, conv, taps, image, left - 1 + column, top - 1 + row, sums);
        StemShare<T> values;  // the sums of one product have the layout of the next operand
#pragma unroll
        for (int i = 0; i < 4; ++i) values.put(i, sums[i / 2][i % 2 * 2], sums[i / 2][i % 2 * 2 + 1]);
        start(sums, task.weights.point.bias);
        values.multiply_by(point, 0, sums);
        const bool row_inside = top - 1 + row >= 0 && top - 1 + row < height;
        hand_out(sums, [&](int pixel, int channel, float a, float b) {
            const int x = left - 1 + column + pixel;
            const bool inside = row_inside && x >= 0 && x < width;
            store2(tile + (row * kAcross + column + pixel) * kPitch + channel, inside ? a : 0.0F, inside ? b : 0.0F);
        });
    }
    __syncthreads();
    depthwise_tile<T, kWidth, kHeight, kStemChannels, kPitch, 2>(
        tile, task.weights.depth, 0, [&](int dx, int dy, int channel, float4(&sums)[2][2]) {
            finish_tile(Image<T>(task.out, image, channel), Image<T>(task.pooled, image, channel), task.weights.relu,
                        left + dx, top + dy, sums);
        });
}

dim3 grid_of(int width, int height, int tile_width, int tile_height, int images) {
    return dim3(static_cast<unsigned>((width + tile_width - 1) / tile_width),
                static_cast<unsigned>((height + tile_height - 1) / tile_height), static_cast<unsigned>(images));
}

}  // namespace

void launch_stem(const StemTask& task, int images, Precision precision, const Chain& chain) {
    const LaunchShape shape{grid_of(task.out.width, task.out.height, kAcross, kDown, images), kTileThreads, 0};
    launch_chained(precision == Precision::fp32 ? stem_kernel<float> : stem_kernel<__half>, "stem_kernel", shape, chain,
                   task);
}

void launch_stem_unit(const StemTask& task, int images, Precision precision, const Chain& chain) {
    const LaunchShape shape{grid_of((task.in.width + 1) / 2, (task.in.height + 1) / 2, kAcross - 2, kDown - 2, images),
                            kTileThreads, 0};
    launch_chained(precision == Precision::fp32 ? stem_unit_kernel<float> : stem_unit_kernel<__half>,
                   "stem_unit_kernel", shape, chain, task);
}

}  // namespace throng::gpu
