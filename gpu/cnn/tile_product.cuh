// The pointwise convolution of a tile on tensor cores: rows of pixels in shared memory times a matrix of weights (mma
// of 16-bit numbers, sums in 32 bits; compute capability 7.5 and later).
//
// For 32-bit maps, elements and weights are represented as sums of two 16-bit numbers, v = high + low, with high = v
// rounded to 16 bits. A product is high high + high low + low high. The omitted term is below 2^-22 of the product, the
// rounding error of 32-bit arithmetic. Magnitudes above 65504 overflow and those below 2^-24 vanish.
#pragma once

#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/tensor_core.cuh"

namespace throng::gpu {

inline constexpr int kTileThreads = 256;

constexpr int round_up(int value, int step) {
    return (value + step - 1) / step * step;
}

// 16-bit numbers that represent an element of a map.
template <typename T>
inline constexpr int kParts = sizeof(T) / sizeof(__half);

// Tiles hold the pixels of a row, kWidth of them, in this order: the even columns, then the odd ones. Pixels that a
// thread skips by two are then neighbors.
template <int kWidth>
constexpr int slot_of_column(int column) {
    return column % 2 * (kWidth / 2) + column / 2;
}
template <int kWidth>
constexpr int column_at(int slot) {
    return slot < kWidth / 2 ? 2 * slot : 2 * slot - kWidth + 1;
}

// A thread has pairs of every eighth column of sums. Returns the column's position if they are stored next to each
// other, for kSpan columns.
template <int kSpan>
constexpr int position_of(int column) {
    return column % 8 / 2 * (kSpan / 4) + column / 8 * 2 + column % 2;
}

// Which channel a column of the sums is. stored: channels are in order after store(). tensor_depthwise: after store() they
// are in the order that depthwise_pairs takes.
enum class ChannelOrder { stored, tensor_depthwise };

// Channels per warp of depthwise_pairs.
constexpr int depthwise_span(int channels) {
    return channels >= 32 ? channels / 2 : channels;
}

// The 16-bit parts of two values.
template <typename T>
struct alignas(4 * kParts<T>) SplitPair {
    std::uint32_t part[kParts<T>];
};

template <typename T>
__device__ SplitPair<T> split(float a, float b) {
    SplitPair<T> parts;
    const __half2 high = narrowed(a, b);
    parts.part[0] = *reinterpret_cast<const std::uint32_t*>(&high);
    if constexpr (kParts<T> == 2) {
        const float2 wide = __half22float2(high);
        const __half2 low = __floats2half2_rn(a - wide.x, b - wide.y);
        parts.part[1] = *reinterpret_cast<const std::uint32_t*>(&low);
    }
    return parts;
}

// Stores four channels of a pixel of a tile; the parts of an element are tile_part elements apart.
template <typename T>
__device__ void put_parts(__half* at, int tile_part, float4 v) {
    const SplitPair<T> first = split<T>(v.x, v.y);
    const SplitPair<T> second = split<T>(v.z, v.w);
#pragma unroll
    for (int p = 0; p < kParts<T>; ++p) {
        *reinterpret_cast<uint2*>(at + p * tile_part) = make_uint2(first.part[p], second.part[p]);
    }
}

// Multiplies matrices of elements and weights, [part][…].
template <int kPartCount, int kA, int kB>
__device__ void multiply_parts(float (&sum)[4], const std::uint32_t (&a)[kPartCount][kA],
                               const std::uint32_t (&b)[kPartCount][kB]) {
    if constexpr (kPartCount == 2) {
        multiply(sum, a[1], b[0]);
        multiply(sum, a[0], b[1]);
    }
    multiply(sum, a[0], b[0]);
}

// The sums of kRows x kChannels (pixels by channels) of a product, with eight warps: four along the rows, two along the
// channels.
template <typename T, int kRows, int kChannels, ChannelOrder kOrder>
class ProductSums {
    static constexpr int kWarpsDown = 4;
    static constexpr int kWarpsAcross = 2;
    static constexpr int kAcross = kChannels / 8 / kWarpsAcross;  // 8 channels each
    static_assert(kChannels % 16 == 0);

public:
    static constexpr int kDown = (round_up(kRows, 16) / 16 + kWarpsDown - 1) / kWarpsDown;  // 16 rows each
    static constexpr int kAllRows = kDown * kWarpsDown * 16;  // rows beyond kRows are read and have no valid results
    using Values = Pairs<PairOf<T>, kAcross>;                 // of a thread, for a pixel

    // The first of a warp's rows, and a lane's row of weights: the addresses that ldmatrix takes.
    __device__ static int first_row() { return static_cast<int>(threadIdx.x) / 32 % kWarpsDown * kDown * 16; }
    __device__ static int weight_row() { return first_column() + static_cast<int>(threadIdx.x) % 8; }
    __device__ static int weight_column() { return static_cast<int>(threadIdx.x) / 8 % 2 * 8; }

    static constexpr int channel_of_column(int column) {
        constexpr int kSpan = kChannels / kWarpsAcross;
        const int stored = column / kSpan * kSpan + position_of<kSpan>(column % kSpan);
        if (kOrder == ChannelOrder::stored) return stored;
        constexpr int kDepthwise = depthwise_span(kChannels);
        return stored / kDepthwise * kDepthwise + position_of<kDepthwise>(stored % kDepthwise);
    }

    // Initializes the sums with the bias, [kChannels] from this address on, times scale.
    __device__ void start(const float* bias, float scale = 1.0F) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
            const float2 b = *reinterpret_cast<const float2*>(bias + channel_of_column(column_of(j)));
#pragma unroll
            for (int i = 0; i < kDown; ++i) {
                sums_[i][j][0] = sums_[i][j][2] = b.x * scale;
                sums_[i][j][1] = sums_[i][j][3] = b.y * scale;
            }
        }
    }

    // Adds the product of 16 channels in. row: the lane's address in the first 16 rows of its warp; the next 16 rows are
    // row_step elements on. column: its address in the weights, kChannels rows of `pitch` elements. The parts of an
    // element or weight are tile_part or weight_part elements apart.
    __device__ void add_step(const __half* row, int row_step, int tile_part, const __half* column, int pitch,
                             int weight_part) {
        std::uint32_t b[kAcross][kParts<T>][2];
#pragma unroll
        for (int p = 0; p < kParts<T>; ++p) {
#pragma unroll
            for (int j = 0; j < kAcross; ++j) load_matrices(b[j][p], column + p * weight_part + j * 8 * pitch);
        }
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
            std::uint32_t a[kParts<T>][4];
#pragma unroll
            for (int p = 0; p < kParts<T>; ++p) load_matrices(a[p], row + p * tile_part + i * row_step);
#pragma unroll
            for (int j = 0; j < kAcross; ++j) multiply_parts(sums_[i][j], a, b[j]);
        }
    }

    // Sets the sums of pixels outside the map to zero. The rows are those of a tile (slot_of_column) of kWidth pixels per
    // row and kHeight rows, from (left, top) on. There the input of a depthwise convolution is zero, not the bias.
    template <int kWidth, int kHeight>
    __device__ void clear_outside(const Map& map, int left, int top) {
        if (left >= 0 && top >= 0 && left + kWidth <= map.width && top + kHeight <= map.height) return;
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = row_of(i, half);
                const int x = left + column_at<kWidth>(row % kWidth);
                const int y = top + row / kWidth;
                if (x >= 0 && x < map.width && y >= 0 && y < map.height) continue;
#pragma unroll
                for (int j = 0; j < kAcross; ++j) sums_[i][j][half * 2] = sums_[i][j][half * 2 + 1] = 0.0F;
            }
        }
    }

    // Calls visit(row, channel, sums) for every row < kUsed: a thread's sums, whose channels are neighbors after store(),
    // from `channel` on.
    template <int kUsed, typename Visit>
    __device__ void for_each_row(Visit visit) const {
        const int channel = first_column() + static_cast<int>(threadIdx.x) % 4 * 2 * kAcross;
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = row_of(i, half);
                if (kUsed < kAllRows && row >= kUsed) continue;
                float sums[2 * kAcross];
#pragma unroll
                for (int v = 0; v < 2 * kAcross; ++v) sums[v] = sums_[i][v / 2][half * 2 + v % 2];
                visit(row, channel, sums);
            }
        }
    }

    __device__ static Values values_of(const float (&sums)[2 * kAcross]) {
        Values values;
#pragma unroll
        for (int j = 0; j < kAcross; ++j) put_pair(values.pair[j], sums[2 * j], sums[2 * j + 1]);
        return values;
    }

    // Writes a thread's sums of a pixel next to each other, kAllRows rows of kToPitch elements.
    template <int kToPitch>
    __device__ void store(T* to) const {
        for_each_row<kAllRows>([&](int row, int channel, const float(&sums)[2 * kAcross]) {
            *reinterpret_cast<Values*>(to + row * kToPitch + channel) = values_of(sums);
        });
    }

private:
    __device__ static int row_of(int i, int half) {
        return first_row() + i * 16 + half * 8 + static_cast<int>(threadIdx.x) % 32 / 4;
    }
    __device__ static int first_column() {
        return static_cast<int>(threadIdx.x) / 32 / kWarpsDown * kAcross * 8;
    }
    __device__ static int column_of(int j) {
        return first_column() + j * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
    }

    float sums_[kDown][kAcross][4];
};

// Multiplies kRows x kDepth (pixels by channels) by kDepth x kChannels. Shared memory holds, part by part, the rows of
// the tile and the rows of weights (one per output channel), kPitch elements each.
template <typename T, int kRows, int kDepth, int kChannels, ChannelOrder kOrder>
class TileProduct : public ProductSums<T, kRows, kChannels, kOrder> {
    using Sums = ProductSums<T, kRows, kChannels, kOrder>;
    static_assert(kDepth % 16 == 0);

public:
    using Sums::channel_of_column;
    using Sums::kAllRows;
    static constexpr int kPitch = kDepth + 8;  // rows start in different banks
    static constexpr int kTilePart = kAllRows * kPitch;
    static constexpr int kWeightPart = kChannels * kPitch;
    static constexpr int kTileBytes = kParts<T> * kTilePart * 2;
    static constexpr int kWeightBytes = kParts<T> * kWeightPart * 2;

    // Copies the weights of kDepth input channels from first_in on and kChannels output channels from first_out on.
    __device__ static void load_weights(__half* to, const PointWeights& all, int first_in, int first_out) {
        constexpr int kChunks = kDepth / 8;
        const __half* from = static_cast<const __half*>(all.weights) + first_out * all.in + first_in;
#pragma unroll
        for (int p = 0; p < kParts<T>; ++p) {
            for (int i = threadIdx.x; i < kChannels * kChunks; i += kTileThreads) {
                const int n = i / kChunks;
                const int k = i % kChunks * 8;
                *reinterpret_cast<uint4*>(to + p * kWeightPart + n * kPitch + k) = __ldg(
                    reinterpret_cast<const uint4*>(from + p * all.in * all.out + channel_of_column(n) * all.in + k));
            }
        }
    }

    // Stores four channels of a pixel of the tile.
    __device__ static void put(__half* tile, int row, int channel, float4 v) {
        put_parts<T>(tile + row * kPitch + channel, kTilePart, v);
    }

    __device__ void add(const __half* tile, const __half* weights) {
        const int lane = threadIdx.x % 32;
        const __half* row = tile + (Sums::first_row() + lane % 16) * kPitch + lane / 16 * 8;
        const __half* column = weights + Sums::weight_row() * kPitch + Sums::weight_column();
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            this->add_step(row + k, 16 * kPitch, kTilePart, column + k, kPitch, kWeightPart);
        }
    }
};

}  // namespace throng::gpu
