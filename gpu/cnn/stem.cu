#include "gpu/cnn/stem.h"

#include "gpu/cnn/tile_depthwise.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

// Output pixels per block. A warp multiplies 16 pixels at a time.
constexpr int kAcross = 32;
constexpr int kDown = 16;
constexpr int kWarps = kTileThreads / 32;

// A thread's fragments of a matrix of weights. The order of the channels in is free: the pairs of a step of 16 are the
// four channels of an input pixel, one of four taps.
template <typename T, int kKernel>
struct StemMatrix {
    static constexpr int kSteps = kKernel * kKernel / 4;
    static constexpr bool kHasLast = kKernel * kKernel % 4 != 0;  // 3 x 3: a ninth tap is left
    std::uint32_t taps[kParts<T>][kSteps][2]
                      [2];             // [part][step: taps 0 to 3, 4 to 7, …][8 channels out][pair of channels in]
    std::uint32_t last[kParts<T>][2];  // a pair for two of four threads, zeros for the others

    __device__ explicit StemMatrix(const PointWeights& all) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int p = 0; p < kParts<T>; ++p) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const auto* row = static_cast<const __half*>(all.weights) +
                                  (p * kStemChannels + j * 8 + lane / 4) * stem_depth(kKernel);
#pragma unroll
                for (int step = 0; step < kSteps; ++step) {
                    const uint2 pairs =
                        __ldg(reinterpret_cast<const uint2*>(row + (4 * step + lane % 4) * kInputChannels));
                    taps[p][step][j][0] = pairs.x;
                    taps[p][step][j][1] = pairs.y;
                }
                if constexpr (kHasLast) {
                    last[p][j] =
                        __ldg(reinterpret_cast<const std::uint32_t*>(row + kSteps * 4 * kInputChannels + lane % 4 * 2));
                }
            }
        }
    }
};

// The same for the pointwise convolution. Columns are permuted as in TileProduct.
template <typename T>
struct StemPoint {
    std::uint32_t share[kParts<T>][2][2];
    float2 bias[2];

    __device__ explicit StemPoint(const PointWeights& all) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const auto* row = static_cast<const __half*>(all.weights) + channel(j * 8 + lane / 4) * kStemChannels;
#pragma unroll
            for (int p = 0; p < kParts<T>; ++p) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    share[p][j][i] = __ldg(reinterpret_cast<const std::uint32_t*>(
                        row + p * kStemChannels * kStemChannels + lane % 4 * 2 + i * 8));
                }
            }
            bias[j] = __ldg(reinterpret_cast<const float2*>(all.bias + channel(j * 8 + lane % 4 * 2)));
        }
    }

    __device__ static int channel(int column) {
        const int stored = position_of<kStemChannels>(column);
        return kParts<T> == 1 ? position_of<kStemChannels>(stored) : stored;
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

    // b: [part][8 channels out][pair of channels in]
    __device__ void multiply_by(const std::uint32_t (&b0)[2][2], const std::uint32_t (&b1)[2][2],
                                float (&sums)[2][4]) const {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            if constexpr (kParts<T> == 2) {
                multiply(sums[j], share[1], b0[j]);
                multiply(sums[j], share[0], b1[j]);
            }
            multiply(sums[j], share[0], b0[j]);
        }
    }
    // Only the first 8 channels in.
    __device__ void multiply_half_by(const std::uint32_t (&b0)[2], const std::uint32_t (&b1)[2],
                                     float (&sums)[2][4]) const {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            if constexpr (kParts<T> == 2) {
                multiply(sums[j], {share[1][0], share[1][1]}, b0[j]);
                multiply(sums[j], {share[0][0], share[0][1]}, b1[j]);
            }
            multiply(sums[j], {share[0][0], share[0][1]}, b0[j]);
        }
    }
};

__device__ inline void start(float (&sums)[2][4], const float2 (&bias)[2]) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        sums[j][0] = sums[j][2] = bias[j].x;
        sums[j][1] = sums[j][3] = bias[j].y;
    }
}

__device__ inline float2 load_pair(const float* at) {
    return *reinterpret_cast<const float2*>(at);
}
__device__ inline __half2 load_pair(const __half* at) {
    return *reinterpret_cast<const __half2*>(at);
}

// The first convolution of a thread's part of 16 output pixels. kAny: of any activation and scale of the weights, otherwise
// only none or relu, and 1.
template <typename T, int kKernel, bool kAny>
class StemConvolution {
    using Matrix = StemMatrix<T, kKernel>;
    static constexpr int kSteps = Matrix::kSteps;
    static constexpr int kPadding = (kKernel - 1) / 2;

public:
    __device__ StemConvolution(const StemTask& task, int image)
        : in_(task.in, image), activation_(task.weights.conv_activation), matrix_(task.weights.conv) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int n = 0; n < kSteps + (Matrix::kHasLast ? 1 : 0); ++n) {
            const int tap = n < kSteps ? 4 * n + lane % 4 : 4 * kSteps;
            across_[n] = tap % kKernel - kPadding;
            down_[n] = tap / kKernel - kPadding;
            offset_[n] = down_[n] * in_.row + across_[n] * kInputChannels + (n < kSteps ? 0 : lane % 2 * 2);
        }
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            bias_[j] = __ldg(reinterpret_cast<const float2*>(task.weights.conv.bias + j * 8 + lane % 4 * 2));
            if constexpr (kAny) bias_[j] = {bias_[j].x * task.weights.conv.scale, bias_[j].y * task.weights.conv.scale};
        }
        unscale_ = 1.0F / task.weights.conv.scale;
    }

    // x, y: output pixels of rows g and g + 8 of the fragment. kEdge: some of their input pixels may be outside.
    template <bool kEdge>
    __device__ void compute(const int (&x)[2], const int (&y)[2], float (&sums)[2][4]) const {
        using Pair = decltype(load_pair(in_.data));
        Pairs<Pair, 2> values[kSteps][2];  // all loads are in flight before the first is used
        Pair last[2];
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const int center = 2 * (y[p] * in_.row + x[p] * kInputChannels);
            const auto from = [&](int n, bool& inside) {
                inside = !kEdge || in_.holds(2 * x[p] + across_[n], 2 * y[p] + down_[n]);
                return in_.data + (inside ? static_cast<unsigned>(center + offset_[n]) : 0U);
            };
            bool inside;
#pragma unroll
            for (int n = 0; n < kSteps; ++n) {
                values[n][p] = *reinterpret_cast<const Pairs<Pair, 2>*>(from(n, inside));
                if (!inside) values[n][p] = {};
            }
            if constexpr (Matrix::kHasLast) {
                last[p] = load_pair(from(kSteps, inside));
                if (!inside) last[p] = {};
            }
        }
        start(sums, bias_);
#pragma unroll
        for (int n = 0; n < kSteps; ++n) {
            StemShare<T> share;
#pragma unroll
            for (int i = 0; i < 4; ++i) share.put(i, values[n][i % 2].pair[i / 2]);
            share.multiply_by(matrix_.taps[0][n], matrix_.taps[kParts<T> - 1][n], sums);
        }
        if constexpr (Matrix::kHasLast) {
            StemShare<T> share;
#pragma unroll
            for (int i = 0; i < 2; ++i) share.put(i, last[i]);
            share.multiply_half_by(matrix_.last[0], matrix_.last[kParts<T> - 1], sums);
        }
#pragma unroll
        for (int j = 0; j < 2; ++j) {
#pragma unroll
            for (float& sum : sums[j]) {
                sum = kAny                              ? activated<T>(sum * unscale_, activation_)
                      : activation_ == Activation::relu ? fmaxf(sum, 0.0F)
                                                        : sum;
            }
        }
    }

private:
    static constexpr int kLoads = kSteps + (Matrix::kHasLast ? 1 : 0);
    Image<const T> in_;
    Activation activation_;
    float unscale_;
    Matrix matrix_;
    float2 bias_[2];
    int across_[kLoads], down_[kLoads], offset_[kLoads];
};

// Tests if all input pixels of the output pixels from (left, top) to (right, bottom) are inside the map. kBorder: input
// pixels beyond twice the last output pixel, at least as many as before the first.
template <int kBorder>
__device__ inline bool is_inside(const Map& in, int left, int top, int right, int bottom) {
    return left > 0 && top > 0 && 2 * right + kBorder < in.width && 2 * bottom + kBorder < in.height;
}

template <typename T, int kKernel, bool kEdge>
__device__ void convolve_tile(const StemTask& task, const StemConvolution<T, kKernel, true>& conv, int image, int left,
                              int top) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const Image<T> out(task.out, image);
    for (int piece = static_cast<int>(threadIdx.x) / 32; piece < kAcross * kDown / 16; piece += kWarps) {
        const int x[2] = {left + piece % 2 * 16 + lane / 4, left + piece % 2 * 16 + lane / 4 + 8};
        const int y[2] = {top + piece / 2, top + piece / 2};
        float sums[2][4];
        conv.template compute<kEdge>(x, y, sums);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            if (kEdge && !out.holds(x[p], y[p])) continue;
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                store2(out.at(x[p], y[p]) + j * 8 + lane % 4 * 2, sums[j][2 * p], sums[j][2 * p + 1]);
            }
        }
    }
}

template <typename T, int kKernel>
__global__ void __launch_bounds__(kTileThreads) stem_kernel(const __grid_constant__ StemTask task) {
    const int left = static_cast<int>(blockIdx.x) * kAcross;
    const int top = static_cast<int>(blockIdx.y) * kDown;
    const int image = static_cast<int>(blockIdx.z);
    trigger_launch_completion();
    const StemConvolution<T, kKernel, true> conv(task, image);
    wait_for_previous();
    if (is_inside<kKernel / 2>(task.in, left, top, left + kAcross - 1, top + kDown - 1)) {
        convolve_tile<T, kKernel, false>(task, conv, image, left, top);
    } else {
        convolve_tile<T, kKernel, true>(task, conv, image, left, top);
    }
}

// The tile of the unit: the pointwise products of a block's pixels and their border.
template <typename T>
struct StemTile {
    static constexpr int kBordered = kAcross + 2;
    static constexpr int kPixels = kBordered * (kDown + 2);
    static constexpr int kPieces = (kPixels + 15) / 16;
    static constexpr int kPitch = kStemChannels + (kParts<T> == 1 ? 8 : 0);  // rows start in different banks
};

template <typename T, bool kEdge>
__device__ void fill_tile(const StemTask& task, const StemConvolution<T, 3, false>& conv, const StemPoint<T>& point,
                          int image, int left, int top, T* tile) {
    using Tile = StemTile<T>;
    using Pair = std::conditional_t<kParts<T> == 1, __half2, float2>;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int piece = static_cast<int>(threadIdx.x) / 32; piece < Tile::kPieces; piece += kWarps) {
        int x[2], y[2];
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const int pixel = min(piece * 16 + lane / 4 + p * 8, Tile::kPixels - 1);
            x[p] = left - 1 + column_at<Tile::kBordered>(pixel % Tile::kBordered);
            y[p] = top - 1 + pixel / Tile::kBordered;
        }
        float sums[2][4];
        conv.template compute<kEdge>(x, y, sums);
        StemShare<T> values;  // the sums of one product have the layout of the next operand
#pragma unroll
        for (int i = 0; i < 4; ++i) values.put(i, sums[i / 2][i % 2 * 2], sums[i / 2][i % 2 * 2 + 1]);
        start(sums, point.bias);
        values.multiply_by(point.share[0], point.share[kParts<T> - 1], sums);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const bool inside =
                !kEdge || (x[p] >= 0 && 2 * x[p] < task.in.width && y[p] >= 0 && 2 * y[p] < task.in.height);
            Pairs<Pair, 2> pairs;
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                put_pair(pairs.pair[j], inside ? sums[j][2 * p] : 0.0F, inside ? sums[j][2 * p + 1] : 0.0F);
            }
            *reinterpret_cast<Pairs<Pair, 2>*>(tile + (piece * 16 + lane / 4 + p * 8) * Tile::kPitch + lane % 4 * 4) =
                pairs;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads) stem_unit_kernel(const __grid_constant__ StemTask task) {
    using Tile = StemTile<T>;
    __shared__ __align__(16) T tile[Tile::kPieces * 16 * Tile::kPitch];
    const int left = static_cast<int>(blockIdx.x) * kAcross;
    const int top = static_cast<int>(blockIdx.y) * kDown;
    const int image = static_cast<int>(blockIdx.z);
    trigger_launch_completion();
    {
        const StemConvolution<T, 3, false> conv(task, image);
        const StemPoint<T> point(task.weights.point);
        wait_for_previous();
        if (is_inside<1>(task.in, left - 1, top - 1, left + kAcross, top + kDown)) {
            fill_tile<T, false>(task, conv, point, image, left, top, tile);
        } else {
            fill_tile<T, true>(task, conv, point, image, left, top, tile);
        }
    }
    __syncthreads();
    const auto finish = [&](int dx, int dy, int channel, auto& values) {
        finish_tile(Image<T>(task.out, image, channel), Image<T>(task.pooled, image, channel), task.weights.relu,
                    left + dx, top + dy, values);
    };
    if constexpr (kParts<T> == 1) {
        const DepthwiseTaps<kStemChannels> taps(task.weights.depth, 0);
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int y = static_cast<int>(threadIdx.x) / 32 * 2;
        for (int x = 0; x < kAcross; x += 16) {
            DepthwiseTaps<kStemChannels>::Values sums[2][2];
            depthwise_pairs<kStemChannels, Tile::kBordered, Tile::kPitch>(tile, taps, 0, x, y, sums);
            finish(x + lane / 4 * 2, y, lane % 4 * DepthwiseTaps<kStemChannels>::kChannels, sums);
        }
    } else {
        depthwise_tile<T, kAcross, kDown, kStemChannels, Tile::kPitch, 4>(tile, task.weights.depth, 0, finish);
    }
}
static_assert(kDown == 2 * kWarps);

dim3 grid_of(int width, int height, int tile_width, int tile_height, int images) {
    return dim3(static_cast<unsigned>((width + tile_width - 1) / tile_width),
                static_cast<unsigned>((height + tile_height - 1) / tile_height), static_cast<unsigned>(images));
}

}  // namespace

void launch_stem(const StemTask& task, int images, Precision precision, const LaunchChain& chain) {
    const LaunchSize shape{grid_of(task.out.width, task.out.height, kAcross, kDown, images), kTileThreads, 0};
    const bool wide = task.weights.kernel == 6;
    const auto kernel = precision == Precision::fp32 ? (wide ? stem_kernel<float, 6> : stem_kernel<float, 3>)
                                                     : (wide ? stem_kernel<__half, 6> : stem_kernel<__half, 3>);
    chain.launch("stem_kernel", kernel, shape, task);
}

void launch_stem_unit(const StemTask& task, int images, Precision precision, const LaunchChain& chain) {
    const LaunchSize shape{grid_of((task.in.width + 1) / 2, (task.in.height + 1) / 2, kAcross, kDown, images),
                           kTileThreads, 0};
    chain.launch("stem_unit_kernel", precision == Precision::fp32 ? stem_unit_kernel<float> : stem_unit_kernel<__half>,
                 shape, task);
}

}  // namespace throng::gpu
