// L2-Hys: a block's values are divided by their norm, cut at 0.2 and divided by their norm again.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "gpu/hog/hog_launch.h"

namespace throng::gpu {
namespace {

__device__ float scale_of(float square, float floor) {
    return 1.0F / (sqrtf(square) + floor);
}

// Values 2 i and 2 i + 1 of a block, to where the SVM reads them.
__device__ void store(float* to, int pitch, int i, float even, float odd) {
    to[2 * i * pitch] = even;
    to[(2 * i + 1) * pitch] = odd;
}
__device__ void store(__half2* to, int pitch, int i, float even, float odd) {
    to[i * pitch] = __floats2half2_rn(even, odd);
}

// A thread a block. With loops written out the values stay in registers; else they are read three times.
template <bool kHalf, bool kUnrolled>
__global__ void __launch_bounds__(kNormaliseColumns* kNormaliseRows)
    hog_normalise_kernel(HogTables tables, const HogUnit* units) {
    const HogUnit unit = units[blockIdx.x];
    const HogDeviceLevel& level = tables.levels[unit.level];
    const int column = unit.x + static_cast<int>(threadIdx.x) % kNormaliseColumns;
    const int row = unit.y + static_cast<int>(threadIdx.x) / kNormaliseColumns;
    if (column >= level.cells - 1 || row >= level.cell_rows - 1) return;
    const int pitch = level.block_pitch;
    const std::int64_t at = level.blocks + static_cast<std::int64_t>(row) * kHogBlockValues * pitch + column;
    using Word = std::conditional_t<kHalf, __half2, float>;
    Word* to = static_cast<Word*>(tables.values) + (kHalf ? (at - column) / 2 + column : at);  // pairs are half as many

    float kept[kUnrolled ? kHogBlockValues : 1];
    const auto value = [&](int i) { return kUnrolled ? kept[i] : tables.blocks[at + i * pitch]; };
    if constexpr (kUnrolled) {
#pragma unroll
        for (int i = 0; i < kHogBlockValues; ++i) kept[i] = tables.blocks[at + i * pitch];
    }
    float sum = 0;
#pragma unroll(kUnrolled ? kHogBlockValues : 1)
    for (int i = 0; i < kHogBlockValues; ++i) sum = __fmaf_rn(value(i), value(i), sum);
    const float scale = scale_of(sum, kHogBlockFloor);
    float clipped_sum = 0;
#pragma unroll(kUnrolled ? kHogBlockValues : 1)
    for (int i = 0; i < kHogBlockValues; ++i) {
        const float clipped = fminf(value(i) * scale, kHogClip);
        if (kUnrolled) kept[kUnrolled ? i : 0] = clipped;
        clipped_sum = __fmaf_rn(clipped, clipped, clipped_sum);
    }
    const float again = scale_of(clipped_sum, kHogClippedFloor);
#pragma unroll(kUnrolled ? kHogBlockValues : 1)
    for (int i = 0; i < kHogBlockValues / 2; ++i) {
        const float even = (kUnrolled ? value(2 * i) : fminf(value(2 * i) * scale, kHogClip)) * again;
        const float odd = (kUnrolled ? value(2 * i + 1) : fminf(value(2 * i + 1) * scale, kHogClip)) * again;
        store(to, pitch, i, even, odd);
    }
}

template <bool kHalf>
void launch(const HogTables& tables, const HogUnits& units, bool unrolled, StreamView stream) {
    constexpr int kThreads = kNormaliseColumns * kNormaliseRows;
    if (unrolled) {
        hog_normalise_kernel<kHalf, true><<<units.count, kThreads, 0, stream>>>(tables, units.units);
    } else {
        hog_normalise_kernel<kHalf, false><<<units.count, kThreads, 0, stream>>>(tables, units.units);
    }
}

}  // namespace

void launch_hog_normalise(const HogTables& tables, const HogUnits& units, const HogOptions& options,
                          StreamView stream) {
    (options.half ? launch<true> : launch<false>)(tables, units, options.unrolled, stream);
    check_launch("hog_normalise_kernel", stream);
}

}  // namespace throng::gpu
