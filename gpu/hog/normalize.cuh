// L2-Hys: a block's values are divided by their norm, clipped at 0.2 and divided by their norm again.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "gpu/hog/hog_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::normalize {

__device__ inline float scale_of(float square, float floor) {
    return 1.0F / (sqrtf(square) + floor);
}

// Stores values 2 i and 2 i + 1 of a block in the layout that the SVM kernel reads.
__device__ inline void store(float* to, int pitch, int i, float even, float odd) {
    to[2 * i * pitch] = even;
    to[(2 * i + 1) * pitch] = odd;
}
__device__ inline void store(__half2* to, int pitch, int i, float even, float odd) {
    to[i * pitch] = __floats2half2_rn(even, odd);
}

// The values stay in registers.
struct Unrolled {
    template <typename Word>
    __device__ static void run(const float* from, Word* to, int pitch) {
        float values[kHogBlockValues];
        float sum = 0;
#pragma unroll
        for (int i = 0; i < kHogBlockValues; ++i) values[i] = from[i * pitch];
#pragma unroll
        for (const float value : values) sum = __fmaf_rn(value, value, sum);
        const float scale = scale_of(sum, kHogBlockFloor);
        float clipped_sum = 0;
#pragma unroll
        for (float& value : values) {
            value = fminf(value * scale, kHogClip);
            clipped_sum = __fmaf_rn(value, value, clipped_sum);
        }
        const float again = scale_of(clipped_sum, kHogClippedFloor);
#pragma unroll
        for (int i = 0; i < kHogBlockValues; i += 2) store(to, pitch, i / 2, values[i] * again, values[i + 1] * again);
    }
};

// One block per thread.
template <bool kHalf, typename Loops>
__global__ void __launch_bounds__(kNormalizeColumns* kNormalizeRows)
    hog_normalize_kernel(HogTables tables, const HogUnit* units) {
    const HogUnit unit = units[blockIdx.x];
    const HogDeviceLevel& level = tables.levels[unit.level];
    const int column = unit.x + static_cast<int>(threadIdx.x) % kNormalizeColumns;
    const int row = unit.y + static_cast<int>(threadIdx.x) / kNormalizeColumns;
    if (column >= level.cells - 1 || row >= level.cell_rows - 1) return;
    const int pitch = level.block_pitch;
    const std::int64_t row_at = level.blocks + static_cast<std::int64_t>(row) * kHogBlockValues * pitch;
    using Word = std::conditional_t<kHalf, __half2, float>;  // there are half as many pairs
    Word* to = static_cast<Word*>(tables.values) + (kHalf ? row_at / 2 : row_at) + column;
    const float* from = tables.blocks + row_at + column;
    Loops::run(from, to, pitch);
}

template <bool kHalf, typename Loops>
void launch(const HogLaunch& work) {
    LaunchChain(work.stream, false)
        .launch("hog_normalize_kernel", hog_normalize_kernel<kHalf, Loops>,
                LaunchSize{work.blocks(), kNormalizeColumns * kNormalizeRows}, work.tables, work.first_unit());
}

}  // namespace throng::gpu::normalize
