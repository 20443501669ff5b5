// Votes of pixels to blocks of 2x2 cells, without scattering: a thread handles a column of cells and some of the bins,
// and gathers every pixel's share in them.
//
// A pixel lies in up to four blocks and votes for up to four cells in each. Its weight there is the product of a weight
// for its row and a weight for its column. So a cell's pixels are summed with four horizontal and four vertical weights
// (hog_use_weight), and a block is the sum of the contributions of its four cells. The thread itself processes the cell
// below next; the next lane processes the cell to the right.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/hog/hog_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::histogram {

constexpr int kUses = 4;  // roles of a pixel along one axis
constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

// [use][pixel of the cell], read at constant addresses. Unrolled loops skip the zeros of uses 1 and 2.
struct UseWeights {
    float weight[kUses][kHogCell];
    __half2 half[kUses][kHogCell / 2];
};

__device__ constexpr bool is_used(int use, int pixel) {
    return use == 0 || use == 3 || (use == 1) == (pixel >= kHogCell / 2);
}

// Same as hog_share. wraps: handle the wrap-around, which only bins 0 and 8 need; these are the first and the last of a
// thread's bins.
__device__ inline float share(float orientation, float bin, bool wraps) {
    const float apart = fabsf(orientation - bin);
    return __saturatef(1.0F - (wraps ? fminf(apart, static_cast<float>(kHogBins) - apart) : apart));
}

// Eight adjacent pixels of a row of a cell, for the four horizontal uses.
struct FloatRow {
    using Value = float;
    static constexpr bool kUnrolled = true;

    float magnitude[kHogCell], orientation[kHogCell];

    __device__ FloatRow(const float* m, const float* o) {
        read(m, magnitude);
        read(o, orientation);
    }
    __device__ static void read(const float* from, float (&to)[kHogCell]) {
        const float4 a = *reinterpret_cast<const float4*>(from);
        const float4 b = *reinterpret_cast<const float4*>(from + 4);
        to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
        to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
    }
    __device__ void vote(const UseWeights& weights, int bin, bool wraps, float (&sums)[kUses]) const {
        const auto center = static_cast<float>(bin);
#pragma unroll
        for (int x = 0; x < kHogCell; ++x) {
            const float vote = magnitude[x] * share(orientation[x], center, wraps);
#pragma unroll
            for (int use = 0; use < kUses; ++use) {
                if (is_used(use, x)) sums[use] = __fmaf_rn(vote, weights.weight[use][x], sums[use]);
            }
        }
    }
};

struct HalfRow {
    using Value = __half;
    static constexpr bool kUnrolled = true;

    __half2 magnitude[kHogCell / 2], orientation[kHogCell / 2];

    __device__ HalfRow(const __half* m, const __half* o) {
        *reinterpret_cast<uint4*>(magnitude) = *reinterpret_cast<const uint4*>(m);
        *reinterpret_cast<uint4*>(orientation) = *reinterpret_cast<const uint4*>(o);
    }
    __device__ void vote(const UseWeights& weights, int bin, bool wraps, float (&sums)[kUses]) const {
        const __half2 center = __float2half2_rn(static_cast<float>(bin));
        const __half2 period = __float2half2_rn(static_cast<float>(kHogBins));
        const __half2 one = __float2half2_rn(1.0F);
        __half2 pairs[kUses];
#pragma unroll
        for (__half2& pair : pairs) pair = __float2half2_rn(0.0F);
#pragma unroll
        for (int x = 0; x < kHogCell / 2; ++x) {
            const __half2 apart = __habs2(__hsub2(orientation[x], center));
            const __half2 nearest = wraps ? __hmin2(apart, __hsub2(period, apart)) : apart;
            const __half2 vote = __hmul2(magnitude[x], __hsub2_sat(one, nearest));
#pragma unroll
            for (int use = 0; use < kUses; ++use) {
                if (is_used(use, 2 * x)) pairs[use] = __hfma2(vote, weights.half[use][x], pairs[use]);
            }
        }
#pragma unroll
        for (int use = 0; use < kUses; ++use) {
            sums[use] += __low2float(pairs[use]) + __high2float(pairs[use]);
        }
    }
};

// A block has kHogBins / kBins warps, each with different bins of the same 32 columns of cells.
template <typename CellRow, int kBins>
__global__ void __launch_bounds__(32 * kHogBins / kBins)
    hog_histogram_kernel(HogTables tables, const HogUnit* units, int rows, UseWeights weights) {
    using Value = typename CellRow::Value;
    constexpr bool kUnrolled = CellRow::kUnrolled;
    const HogUnit unit = units[blockIdx.x];
    const HogDeviceLevel& level = tables.levels[unit.level];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int first_bin = static_cast<int>(threadIdx.x) / 32 * kBins;
    const int block = unit.x + lane;
    const int cell = min(block, level.cells - 1);
    const bool writes = lane < kHistogramColumns && block < level.cells - 1;
    const int pitch = level.cells * kHogCell;
    rows = min(rows, level.cell_rows - 1 - unit.y);

    const std::int64_t first_pixel =
        level.pixels + static_cast<std::int64_t>(unit.y) * kHogCell * pitch + cell * kHogCell;
    const Value* magnitude = static_cast<const Value*>(tables.magnitude) + first_pixel;
    const Value* orientation = static_cast<const Value*>(tables.orientation) + first_pixel;
    float* out =
        tables.blocks + level.blocks + static_cast<std::int64_t>(unit.y) * kHogBlockValues * level.block_pitch + block;

    // [down][across]: 0 and 1 are for the block that begins here, 2 and 3 for the one that began one cell above.
    float sums[kBins][kUses][kUses] = {};
    for (int r = 0; r <= rows; ++r) {
#pragma unroll
        for (int b = 0; b < kBins; ++b) {
#pragma unroll
            for (int across = 0; across < kUses; ++across) {
                sums[b][2][across] = sums[b][0][across];
                sums[b][3][across] = sums[b][1][across];
                sums[b][0][across] = sums[b][1][across] = 0;
            }
        }
#pragma unroll(kUnrolled ? kHogCell : 1)
        for (int y = 0; y < kHogCell; ++y) {
            const CellRow pixels(magnitude + y * pitch, orientation + y * pitch);
#pragma unroll
            for (int b = 0; b < kBins; ++b) {
                float across_sums[kUses] = {};
                pixels.vote(weights, first_bin + b, b == 0 || b == kBins - 1, across_sums);
#pragma unroll
                for (int down = 0; down < kUses; ++down) {
                    if (kUnrolled && !is_used(down, y)) continue;
#pragma unroll
                    for (int across = 0; across < kUses; ++across) {
                        sums[b][down][across] =
                            __fmaf_rn(across_sums[across], weights.weight[down][y], sums[b][down][across]);
                    }
                }
            }
        }
        magnitude += kHogCell * pitch;
        orientation += kHogCell * pitch;
        if (r == 0) continue;
#pragma unroll
        for (int b = 0; b < kBins; ++b) {
#pragma unroll
            for (int across = 0; across < 2; ++across) {
#pragma unroll
                for (int down = 0; down < 2; ++down) {
                    const float right = __shfl_down_sync(kWholeWarp, sums[b][2 + down][2 + across], 1);
                    const int value = (across * 2 + down) * kHogBins + first_bin + b;
                    if (writes) out[value * level.block_pitch] = sums[b][2 + down][across] + right;
                }
            }
        }
        out += kHogBlockValues * level.block_pitch;
    }
}

inline UseWeights use_weights() {
    const HogSide side = hog_side();
    UseWeights weights{};
    for (int use = 0; use < kUses; ++use) {
        for (int x = 0; x < kHogCell; ++x) weights.weight[use][x] = hog_use_weight(side, use, x);
        for (int x = 0; x < kHogCell / 2; ++x) {
            weights.half[use][x] = __floats2half2_rn(weights.weight[use][2 * x], weights.weight[use][2 * x + 1]);
        }
    }
    return weights;
}

template <typename CellRow, int kBins>
void launch(const HogLaunch& work) {
    static const UseWeights weights = use_weights();
    constexpr int kThreads = 32 * kHogBins / kBins;
    LaunchChain(work.stream, false)
        .launch("hog_histogram_kernel", hog_histogram_kernel<CellRow, kBins>, LaunchSize{work.blocks(), kThreads},
                work.tables, work.first_unit(), work.histogram_rows, weights);
}

}  // namespace throng::gpu::histogram
