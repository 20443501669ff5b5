// The margins of all windows: a convolution of the 36 planes of block values with 7x15 weights each, and raw detections
// where it reaches the threshold.
//
// A block has 16x8 windows of a level and 18 warps. A warp has two of the planes (one plane of pairs with 16 bits) to
// itself: it brings their part under the tile to shared memory and convolves it for all windows; then the warps' sums
// are added in their order.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "core/algo/hog_levels.h"
#include "gpu/hog/hog_launch.h"

namespace throng::gpu {
namespace {

constexpr int kWarps = 18;
constexpr int kWindows = kSvmColumns * kSvmRows;
constexpr int kTileRows = kSvmRows + kHogRows - 1;
// Words; 22 are used. Rows two apart lie 16 banks apart, see window_row.
constexpr int kTilePitch = 24;
constexpr int kTileWords = kTileRows * kTilePitch;
constexpr int kWeightPitch = 8;  // of a row of weights, the last is 0

static_assert(kSvmColumns + kHogColumns - 1 <= kTilePitch);

// One plane, a warp's windows. Word: float, or __half2 with two values of a block.
__device__ void add_products(float value, float weight, float& sum) {
    sum = __fmaf_rn(value, weight, sum);
}
__device__ void add_products(__half2 value, __half2 weight, __half2& sum) {
    sum = __hfma2(value, weight, sum);
}
__device__ float total(__half2 sum) {
    return __low2float(sum) + __high2float(sum);
}

// Four windows beside each other. The row of the tile is such that eight neighbouring lanes, which read 16 bytes each
// in one turn, lie in all 32 banks.
template <typename Word>
struct FourWindows {
    static constexpr int kPasses = 1;
    static constexpr int kCount = 4;
    __device__ static int column(int lane, int /*pass*/) { return lane % 4 * 4; }
    __device__ static int row(int lane, int /*pass*/) {
        const int k = lane / 4;
        return (k & 4) | (k & 1) << 1 | (k >> 1 & 1);
    }
    // A row of the tile against a row of weights.
    __device__ static void convolve(const Word* tile, const Word* weights, float (&sums)[kCount]) {
        union Twelve {
            uint4 wide[3];
            Word words[12];
            __device__ Twelve() {}
        } v;
        union Eight {
            uint4 wide[2];
            Word words[8];
            __device__ Eight() {}
        } w;
#pragma unroll
        for (int i = 0; i < 3; ++i) v.wide[i] = reinterpret_cast<const uint4*>(tile)[i];
#pragma unroll
        for (int i = 0; i < 2; ++i) w.wide[i] = __ldg(reinterpret_cast<const uint4*>(weights) + i);
        if constexpr (std::is_same_v<Word, float>) {
#pragma unroll
            for (int x = 0; x < kHogColumns; ++x) {
#pragma unroll
                for (int k = 0; k < kCount; ++k) add_products(v.words[k + x], w.words[x], sums[k]);
            }
        } else {
            // Short sums in 16 bits, a row of a window each; long ones in 32.
            Word row[kCount];
#pragma unroll
            for (Word& r : row) r = __float2half2_rn(0.0F);
#pragma unroll
            for (int x = 0; x < kHogColumns; ++x) {
#pragma unroll
                for (int k = 0; k < kCount; ++k) add_products(v.words[k + x], w.words[x], row[k]);
            }
#pragma unroll
            for (int k = 0; k < kCount; ++k) sums[k] += total(row[k]);
        }
    }
};

template <typename Word>
struct OneWindow {
    static constexpr int kPasses = 4;
    static constexpr int kCount = 1;
    __device__ static int column(int lane, int /*pass*/) { return lane % kSvmColumns; }
    __device__ static int row(int lane, int pass) { return pass * 2 + lane / kSvmColumns; }
    template <bool kUnrolled>
    __device__ static void convolve(const Word* tile, const Word* weights, float (&sums)[kCount]) {
#pragma unroll(kUnrolled ? kHogColumns : 1)
        for (int x = 0; x < kHogColumns; ++x) {
            if constexpr (std::is_same_v<Word, float>) {
                add_products(tile[x], weights[x], sums[0]);
            } else {
                sums[0] += total(__hmul2(tile[x], weights[x]));
            }
        }
    }
};

// The same four windows, a column of weights at a time.
template <typename Word>
__device__ void convolve_rolled(const Word* tile, const Word* weights, float (&sums)[4]) {
#pragma unroll 1
    for (int x = 0; x < kHogColumns; ++x) {
        const Word weight = weights[x];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if constexpr (std::is_same_v<Word, float>) {
                add_products(tile[x + k], weight, sums[k]);
            } else {
                sums[k] += total(__hmul2(tile[x + k], weight));
            }
        }
    }
}

// The part of a plane under the tile; nothing beyond the level's blocks.
template <typename Word>
__device__ void load_tile(const Word* plane, const HogDeviceLevel& level, int row_words, const HogUnit& unit, int lane,
                          Word* tile) {
    constexpr int kWide = kTilePitch / 4;
    for (int i = lane; i < kTileRows * kWide; i += 32) {
        const int row = i / kWide;
        const int column = i % kWide * 4;
        uint4 words = make_uint4(0, 0, 0, 0);
        if (unit.y + row < level.cell_rows - 1 && unit.x + column < level.block_pitch) {
            words = *reinterpret_cast<const uint4*>(plane + static_cast<std::int64_t>(unit.y + row) * row_words +
                                                    unit.x + column);
        }
        *reinterpret_cast<uint4*>(tile + row * kTilePitch + column) = words;
    }
}

__device__ void report(const HogDeviceLevel& level, const HogOutput& output, int column, int row, float margin) {
    const DetectionSpan& raw = output.raw;
    const std::uint32_t at = atomicAdd(&raw.count->wanted, 1U);
    if (at >= static_cast<std::uint32_t>(raw.capacity)) return;
    raw.boxes[at] = hog_box(level.scale, level.box_width, level.box_height, column, row);
    raw.scores[at] = margin;
}

template <typename Word, bool kSeveral, bool kUnrolled>
__global__ void __launch_bounds__(kWarps * 32, 2)
    hog_svm_kernel(HogTables tables, const HogUnit* units, HogOutput output) {
    constexpr int kPlanes = std::is_same_v<Word, float> ? kHogBlockValues : kHogBlockValues / 2;
    constexpr int kOwn = kPlanes / kWarps;
    constexpr int kWarpWords = kOwn * kTileWords;
    extern __shared__ uint4 shared[];
    const HogUnit unit = units[blockIdx.x];
    const HogDeviceLevel& level = tables.levels[unit.level];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    Word* tile = reinterpret_cast<Word*>(shared) + warp * kWarpWords;
    const int first_plane = warp * kOwn;
    const Word* values = static_cast<const Word*>(tables.values) + level.blocks * kPlanes / kHogBlockValues;
#pragma unroll
    for (int p = 0; p < kOwn; ++p) {
        load_tile(values + (first_plane + p) * level.block_pitch, level, kPlanes * level.block_pitch, unit, lane,
                  tile + p * kTileWords);
    }
    __syncwarp();

    using Share = std::conditional_t<kSeveral, FourWindows<Word>, OneWindow<Word>>;
    const Word* weights = static_cast<const Word*>(tables.weights) + first_plane * kHogRows * kWeightPitch;
    float sums[Share::kPasses][Share::kCount] = {};
#pragma unroll
    for (int pass = 0; pass < Share::kPasses; ++pass) {
        const Word* corner = tile + Share::row(lane, pass) * kTilePitch + Share::column(lane, pass);
#pragma unroll(kUnrolled ? kOwn : 1)
        for (int p = 0; p < kOwn; ++p) {
#pragma unroll(kUnrolled ? kHogRows : 1)
            for (int y = 0; y < kHogRows; ++y) {
                const Word* from = corner + p * kTileWords + y * kTilePitch;
                const Word* by = weights + (p * kHogRows + y) * kWeightPitch;
                if constexpr (!kSeveral) {
                    Share::template convolve<kUnrolled>(from, by, sums[pass]);
                } else if constexpr (kUnrolled) {
                    Share::convolve(from, by, sums[pass]);
                } else {
                    convolve_rolled(from, by, sums[pass]);
                }
            }
        }
    }
    __syncwarp();
    auto* partial = reinterpret_cast<float*>(tile);  // the tile is not needed any more
#pragma unroll
    for (int pass = 0; pass < Share::kPasses; ++pass) {
#pragma unroll
        for (int k = 0; k < Share::kCount; ++k) {
            partial[Share::row(lane, pass) * kSvmColumns + Share::column(lane, pass) + k] = sums[pass][k];
        }
    }
    __syncthreads();
    if (threadIdx.x >= kWindows) return;
    const int column = unit.x + static_cast<int>(threadIdx.x) % kSvmColumns;
    const int row = unit.y + static_cast<int>(threadIdx.x) / kSvmColumns;
    if (column >= level.columns || row >= level.rows) return;
    float margin = tables.bias;
    for (int w = 0; w < kWarps; ++w) {
        margin += reinterpret_cast<const float*>(shared)[w * kWarpWords + static_cast<int>(threadIdx.x)];
    }
    if (margin >= output.threshold) report(level, output, column, row, margin);
}

template <typename Word, bool kSeveral, bool kUnrolled>
void launch(const HogTables& tables, const HogUnits& units, const HogOutput& output, StreamView stream) {
    constexpr int kPlanes = std::is_same_v<Word, float> ? kHogBlockValues : kHogBlockValues / 2;
    constexpr int kBytes = kPlanes * kTileWords * static_cast<int>(sizeof(Word));
    const auto kernel = hog_svm_kernel<Word, kSeveral, kUnrolled>;
    // More than 48 KB has to be asked for, on every device; asking costs next to nothing.
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
               "shared memory for hog_svm_kernel");
    kernel<<<units.count, kWarps * 32, kBytes, stream>>>(tables, units.units, output);
}

}  // namespace

void launch_hog_svm(const HogTables& tables, const HogUnits& units, const HogOptions& options, const HogOutput& output,
                    StreamView stream) {
    constexpr decltype(&launch<float, true, true>) kLaunches[2][2][2] = {
        {{launch<float, false, false>, launch<float, false, true>},
         {launch<float, true, false>, launch<float, true, true>}},
        {{launch<__half2, false, false>, launch<__half2, false, true>},
         {launch<__half2, true, false>, launch<__half2, true, true>}}};
    kLaunches[options.half ? 1 : 0][options.several ? 1 : 0][options.unrolled ? 1 : 0](tables, units, output, stream);
    check_launch("hog_svm_kernel", stream);
}

}  // namespace throng::gpu
