#include "gpu/cnn/stem.h"

#include "gpu/cnn/stem_input.cuh"
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
    // [step: taps 0 to 3, 4 to 7, …][8 channels out][part][pair of channels in]
    std::uint32_t taps[kSteps][2][kParts<T>][2];
    std::uint32_t last[2][kParts<T>][1];  // a pair for two of four threads, zeros for the others

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
                    taps[step][j][p][0] = pairs.x;
                    taps[step][j][p][1] = pairs.y;
                }
                if constexpr (kHasLast) {
                    last[j][p][0] =
                        __ldg(reinterpret_cast<const std::uint32_t*>(row + kSteps * 4 * kInputChannels + lane % 4 * 2));
                }
            }
        }
    }
};

// The same for the pointwise convolution. Columns are permuted as in TileProduct.
template <typename T>
struct StemPoint {
    std::uint32_t share[2][kParts<T>][2];
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
                    share[j][p][i] = __ldg(reinterpret_cast<const std::uint32_t*>(
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

// A thread's fragment of an operand of 8 kColumns channels in.
template <typename T, int kColumns>
struct StemShare {
    std::uint32_t share[kParts<T>][2 * kColumns];

    __device__ void put(int i, SplitPair<T> pair) {
#pragma unroll
        for (int p = 0; p < kParts<T>; ++p) share[p][i] = pair.part[p];
    }

    // by: [8 channels out][part][pair of channels in]
    __device__ void multiply_by(const std::uint32_t (&by)[2][kParts<T>][kColumns], float (&sums)[2][4]) const {
#pragma unroll
        for (int j = 0; j < 2; ++j) multiply_parts(sums[j], share, by[j]);
    }
};

__device__ inline void start(float (&sums)[2][4], const float2 (&bias)[2]) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        sums[j][0] = sums[j][2] = bias[j].x;
        sums[j][1] = sums[j][3] = bias[j].y;
    }
}

// The first convolution of a thread's part of 16 output pixels. kAny: of any activation and scale of the weights, otherwise
// only none or relu, and 1.
template <typename T, int kKernel, bool kAny>
class StemConvolution {
    using Matrix = StemMatrix<T, kKernel>;
    static constexpr int kSteps = Matrix::kSteps;

public:
    // pitch: pixels per row of the tile.
    __device__ StemConvolution(const StepTask& task, int pitch)
        : pitch_(pitch), activation_(task.first_activation), matrix_(task.stem) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int n = 0; n < kSteps; ++n) offset_[n] = offset_of(4 * n + lane % 4);
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            bias_[j] = __ldg(reinterpret_cast<const float2*>(task.stem.bias + j * 8 + lane % 4 * 2));
            if constexpr (kAny) bias_[j] = {bias_[j].x * task.stem.scale, bias_[j].y * task.stem.scale};
        }
        unscale_ = 1.0F / task.stem.scale;
    }

    // x, y: output pixels of rows g and g + 8 of the fragment, from those on that the tile begins with.
    __device__ void compute(const StemPixel<T>* tile, const int (&x)[2], const int (&y)[2], float (&sums)[2][4]) const {
        StemPixel<T> values[kSteps][2];  // all loads are in flight before the first is used
        SplitPair<T> last[2];
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const StemPixel<T>* from = tile + 2 * (y[p] * pitch_ + x[p]);
#pragma unroll
            for (int n = 0; n < kSteps; ++n) values[n][p] = from[offset_[n]];
            if constexpr (Matrix::kHasLast) last[p] = from[offset_of(4 * kSteps)].pair[threadIdx.x % 2];
        }
        start(sums, bias_);
#pragma unroll
        for (int n = 0; n < kSteps; ++n) {
            StemShare<T, 2> share;
#pragma unroll
            for (int i = 0; i < 4; ++i) share.put(i, values[n][i % 2].pair[i / 2]);
            share.multiply_by(matrix_.taps[n], sums);
        }
        if constexpr (Matrix::kHasLast) {
            StemShare<T, 1> share;
#pragma unroll
            for (int i = 0; i < 2; ++i) share.put(i, last[i]);
            share.multiply_by(matrix_.last, sums);
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
    [[nodiscard]] __device__ int offset_of(int tap) const {
        return tap / kKernel * pitch_ + tap % kKernel;
    }

    int pitch_;
    Activation activation_;
    float unscale_;
    Matrix matrix_;
    float2 bias_[2];
    int offset_[kSteps];
};

// Fills the tile with the input from (left, top) on.
template <typename Input, bool kFromFrame, typename T>
__device__ void fill_input(StemPixel<T>* tile, const StepTask& task, const PreprocessTask& frames, int left, int top) {
    const int image = static_cast<int>(blockIdx.z);
    if constexpr (kFromFrame) {
        if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0) clear_count(frames, image);
        fill_from_frame<Input>(tile, frames, task.in, image, left, top);
    } else {
        fill_from_map<Input>(tile, Image<const T>(task.in, image), left, top);
    }
    __syncthreads();
}

template <typename T, int kKernel, bool kFromFrame>
__global__ void __launch_bounds__(kTileThreads)
    stem_kernel(const __grid_constant__ StepTask task, const __grid_constant__ PreprocessTask frames) {
    using Input = StemInput<kKernel, kAcross, kDown>;
    __shared__ StemPixel<T> tile[Input::kPixels];
    const int left = static_cast<int>(blockIdx.x) * kAcross;
    const int top = static_cast<int>(blockIdx.y) * kDown;
    trigger_launch_completion();
    const StemConvolution<T, kKernel, true> conv(task, Input::kPitch);
    wait_for_previous();
    fill_input<Input, kFromFrame>(tile, task, frames, 2 * left - Input::kPadding, 2 * top - Input::kPadding);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const Image<T> out(task.out, static_cast<int>(blockIdx.z));
    for (int piece = static_cast<int>(threadIdx.x) / 32; piece < kAcross * kDown / 16; piece += kWarps) {
        const int x[2] = {piece % 2 * 16 + lane / 4, piece % 2 * 16 + lane / 4 + 8};
        const int y[2] = {piece / 2, piece / 2};
        float sums[2][4];
        conv.compute(tile, x, y, sums);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            if (!out.holds(left + x[p], top + y[p])) continue;
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                T* const to = out.at(left + x[p], top + y[p]) + j * 8 + lane % 4 * 2;
                put_pair(*reinterpret_cast<PairOf<T>*>(to), sums[j][2 * p], sums[j][2 * p + 1]);
            }
        }
    }
}

// The tile of the unit: the pointwise products of a block's pixels and their border.
template <typename T>
struct StemTile {
    static constexpr int kBordered = kAcross + 2;
    static constexpr int kPixels = kBordered * (kDown + 2);
    static constexpr int kPieces = (kPixels + 15) / 16;
    static constexpr int kPitch = kStemChannels + (kParts<T> == 1 ? 8 : 0);  // rows start in different banks
    using Input = StemInput<3, kBordered, kDown + 2>;
    static constexpr std::size_t kInputBytes = round_up(Input::kPixels * sizeof(StemPixel<T>), 16);
    static constexpr std::size_t kBytes = kInputBytes + kPieces * 16 * kPitch * sizeof(T);
};

// left, top: the block's first output pixel.
template <typename T>
__device__ void fill_tile(const StepTask& task, const StemConvolution<T, 3, false>& conv, const StemPoint<T>& point,
                          const StemPixel<T>* input, int left, int top, T* tile) {
    using Tile = StemTile<T>;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int piece = static_cast<int>(threadIdx.x) / 32; piece < Tile::kPieces; piece += kWarps) {
        int x[2], y[2];
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const int pixel = min(piece * 16 + lane / 4 + p * 8, Tile::kPixels - 1);
            x[p] = column_at<Tile::kBordered>(pixel % Tile::kBordered);
            y[p] = pixel / Tile::kBordered;
        }
        float sums[2][4];
        conv.compute(input, x, y, sums);
        StemShare<T, 2> values;  // the sums of one product have the layout of the next operand
#pragma unroll
        for (int i = 0; i < 4; ++i) values.put(i, split<T>(sums[i / 2][i % 2 * 2], sums[i / 2][i % 2 * 2 + 1]));
        start(sums, point.bias);
        values.multiply_by(point.share, sums);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const int x_in = 2 * (left - 1 + x[p]);
            const int y_in = 2 * (top - 1 + y[p]);
            const bool inside = x_in >= 0 && x_in < task.in.width && y_in >= 0 && y_in < task.in.height;
            Pairs<PairOf<T>, 2> pairs;
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                put_pair(pairs.pair[j], inside ? sums[j][2 * p] : 0.0F, inside ? sums[j][2 * p + 1] : 0.0F);
            }
            *reinterpret_cast<Pairs<PairOf<T>, 2>*>(tile + (piece * 16 + lane / 4 + p * 8) * Tile::kPitch +
                                                    lane % 4 * 4) = pairs;
        }
    }
}

template <typename T, bool kFromFrame>
__global__ void __launch_bounds__(kTileThreads, 2)
    stem_unit_kernel(const __grid_constant__ StepTask task, const __grid_constant__ PreprocessTask frames) {
    using Tile = StemTile<T>;
    using Input = typename Tile::Input;
    extern __shared__ __align__(16) unsigned char shared[];
    auto* input = reinterpret_cast<StemPixel<T>*>(shared);
    T* tile = reinterpret_cast<T*>(shared + Tile::kInputBytes);
    const int left = static_cast<int>(blockIdx.x) * kAcross;
    const int top = static_cast<int>(blockIdx.y) * kDown;
    const int image = static_cast<int>(blockIdx.z);
    trigger_launch_completion();
    {
        const StemConvolution<T, 3, false> conv(task, Input::kPitch);
        const StemPoint<T> point(task.point);
        wait_for_previous();
        fill_input<Input, kFromFrame>(input, task, frames, 2 * (left - 1) - Input::kPadding,
                                      2 * (top - 1) - Input::kPadding);
        fill_tile(task, conv, point, input, left, top, tile);
    }
    __syncthreads();
    const auto finish = [&](int dx, int dy, int channel, auto& values) {
        finish_tile(Image<T>(task.out, image, channel), Image<T>(task.pooled, image, channel), task.activation,
                    left + dx, top + dy, values);
    };
    if constexpr (kParts<T> == 1) {
        const DepthwiseTaps<kStemChannels> taps(task.depth, 0);
        const int lane = static_cast<int>(threadIdx.x) % 32;
        for (int item = static_cast<int>(threadIdx.x) / 32; item < kAcross * kDown / 32; item += kWarps) {
            const int x = item % (kAcross / 16) * 16;
            const int y = item / (kAcross / 16) * 2;
            DepthwiseTaps<kStemChannels>::Values sums[2][2];
            depthwise_pairs<kStemChannels, Tile::kBordered, Tile::kPitch>(tile, taps, 0, x, y, sums);
            finish(x + lane / 4 * 2, y, lane % 4 * DepthwiseTaps<kStemChannels>::kChannels, sums);
        }
    } else {
        depthwise_tile<kAcross, kDown, kStemChannels, Tile::kPitch, 4>(tile, task.depth, finish);
    }
}

template <typename T>
void launch(const StepTask& task, const PreprocessTask& frames, int images, const LaunchChain& chain) {
    const auto count = [](int pixels, int per_block) {
        return static_cast<unsigned>(((pixels + 1) / 2 + per_block - 1) / per_block);
    };
    const dim3 blocks(count(task.in.width, kAcross), count(task.in.height, kDown), static_cast<unsigned>(images));
    const bool from_frames = task.in.data == nullptr;
    if (task.point.weights != nullptr) {
        chain.launch("stem_unit_kernel", from_frames ? stem_unit_kernel<T, true> : stem_unit_kernel<T, false>,
                     {blocks, kTileThreads, StemTile<T>::kBytes}, task, frames);
    } else {
        const auto kernel = task.kernel == 6 ? (from_frames ? stem_kernel<T, 6, true> : stem_kernel<T, 6, false>)
                                             : (from_frames ? stem_kernel<T, 3, true> : stem_kernel<T, 3, false>);
        chain.launch("stem_kernel", kernel, {blocks, kTileThreads, 0}, task, frames);
    }
}

}  // namespace

std::size_t stem_unit_bytes(Precision precision) {
    return precision == Precision::fp32 ? StemTile<float>::kBytes : StemTile<__half>::kBytes;
}

void launch_stem(const StepTask& task, const PreprocessTask& frames, int images, Precision precision,
                 const LaunchChain& chain) {
    precision == Precision::fp32 ? launch<float>(task, frames, images, chain)
                                 : launch<__half>(task, frames, images, chain);
}

}  // namespace throng::gpu
