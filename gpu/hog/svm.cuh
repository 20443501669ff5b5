// The margins of all windows: a convolution of the 36 planes of block values with 7x15 weights each. Windows whose
// margin reaches the threshold become raw detections.
//
// A block has 16x8 windows of a level, and half a warp per plane (per pair of planes with 16 bits). It loads the
// plane's part under the tile and its weights to shared memory and convolves them for all windows. Then the planes'
// sums are added in their order. If a block has not enough shared memory, it processes the planes in two halves.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "core/algo/hog_levels.h"
#include "gpu/hog/hog_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::svm {

constexpr int kHalfWarp = 16;
constexpr int kWindows = kSvmColumns * kSvmRows;
constexpr int kTileRows = kSvmRows + kHogRows - 1;
// In words; 22 are used. Rows two apart are 16 banks apart, so eight lanes of FourByTwo cover all 32 banks at once.
constexpr int kTilePitch = 24;
constexpr int kTileWords = kTileRows * kTilePitch;
constexpr int kWeightPitch = 8;  // per row of weights; the last is 0
constexpr int kWeightWords = kHogRows * kWeightPitch;
constexpr int kPlaneWords = kTileWords + kWeightWords + kWeightPitch;  // with a last row of zeros
static_assert(kSvmColumns + kHogColumns - 1 <= kTilePitch);

// Word: float, or __half2 with two values of a block.
template <typename Word>
constexpr int kPlanes = std::is_same_v<Word, float> ? kHogBlockValues : kHogBlockValues / 2;

// Planes in shared memory at the same time: half of them with two iterations, for devices with little shared memory.
template <typename Word, int kIterations>
constexpr int kPlanesPerIteration = kPlanes<Word> / kIterations;

template <typename Word, int kIterations>
constexpr int kThreads = kPlanesPerIteration<Word, kIterations>* kHalfWarp;

template <typename Word, int kIterations>
constexpr int kSharedBytes = kPlanesPerIteration<Word, kIterations>* kPlaneWords* static_cast<int>(sizeof(Word));

__device__ inline float multiply_add(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ inline __half2 multiply_add(__half2 a, __half2 b, __half2 c) {
    return __hfma2(a, b, c);
}
// Adds a partial sum to the total and clears it.
__device__ inline void flush_sum(float& from, float& to) {
    to += from;
    from = 0;
}
__device__ inline void flush_sum(__half2& from, float& to) {
    to += __low2float(from) + __high2float(from);
    from = __float2half2_rn(0.0F);
}

// A row of the tile or of the weights, read by wide loads.
template <typename Word, int kWords>
struct Row {
    alignas(16) Word words[kWords];
    __device__ void read(const Word* from) {
#pragma unroll
        for (int i = 0; i < kWords; i += 4) {
            *reinterpret_cast<uint4*>(words + i) = *reinterpret_cast<const uint4*>(from + i);
        }
    }
};

// Rows whose products are summed in a Word: 28 products with 16 bits. Also the unroll factor: with a larger one the
// loads that the compiler moves up do not fit into registers.
constexpr int kFlushRows = 4;

template <typename Word>
__device__ void convolve_unrolled(const Word* tile, const Word* weights, float (&sums)[2][4]) {
    Row<Word, kWeightPitch> now = {};
#pragma unroll 1
    for (int first = 0; first <= kHogRows; first += kFlushRows) {
        Word row_sums[2][4] = {};
#pragma unroll
        for (int i = 0; i < kFlushRows; ++i) {
            const int y = first + i;
            const Row<Word, kWeightPitch> before = now;
            Row<Word, 12> values;
            values.read(tile + y * kTilePitch);
            now.read(weights + y * kWeightPitch);
#pragma unroll
            for (int x = 0; x < kHogColumns; ++x) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    row_sums[0][k] = multiply_add(values.words[k + x], now.words[x], row_sums[0][k]);
                    row_sums[1][k] = multiply_add(values.words[k + x], before.words[x], row_sums[1][k]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) flush_sum(row_sums[i / 4][i % 4], sums[i / 4][i % 4]);
    }
}
static_assert((kHogRows + 1) % kFlushRows == 0);

// Four adjacent windows and the four below them. A row of the tile, once read, is multiplied with two rows of weights.
struct FourByTwo {
    static constexpr int kPasses = 1;
    static constexpr int kAcross = 4;
    static constexpr int kDown = 2;
    __device__ static int column(int lane) { return lane % 4 * 4; }
    __device__ static int row(int lane, int /*pass*/) { return lane / 4 * 2; }
    template <typename Word>
    __device__ static void convolve(const Word* tile, const Word* weights, float (&sums)[2][4]) {
        convolve_unrolled(tile, weights, sums);
    }
};

// Loads the part of a plane under the tile, clipped to the level's blocks.
template <typename Word>
__device__ void load_tile(const Word* plane, const HogDeviceLevel& level, int row_words, const HogUnit& unit, int lane,
                          Word* tile) {
    constexpr int kWide = kTilePitch / 4;
    for (int i = lane; i < kTileRows * kWide; i += kHalfWarp) {
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

__device__ inline void report(const HogDeviceLevel& level, const HogOutput& output, int column, int row, float margin) {
    const DetectionSpan& raw = output.raw;
    const std::uint32_t at = atomicAdd(&raw.count->total, 1U);
    if (at >= static_cast<std::uint32_t>(raw.capacity)) return;
    raw.boxes[at] = hog_box(level.scale, level.box_width, level.box_height, column, row);
    raw.scores[at] = margin;
}

// Minimum resident blocks per multiprocessor. A multiprocessor of Turing holds 1024 threads, fewer than two of the
// largest blocks.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kBlocks = 1;
#else
constexpr int kBlocks = 2;
#endif

// Share: the windows of a lane.
template <typename Word, typename Share, int kIterations>
__global__ void __launch_bounds__(kThreads<Word, kIterations>, kBlocks)
    hog_svm_kernel(HogTables tables, const HogUnit* units, HogOutput output) {
    extern __shared__ uint4 shared[];
    const HogUnit unit = units[blockIdx.x];
    const HogDeviceLevel& level = tables.levels[unit.level];
    const int lane = static_cast<int>(threadIdx.x) % kHalfWarp;
    const int own = static_cast<int>(threadIdx.x) / kHalfWarp;
    Word* tile = reinterpret_cast<Word*>(shared) + own * kPlaneWords;
    Word* weights = tile + kTileWords;
    const Word* values = static_cast<const Word*>(tables.values) + level.blocks * kPlanes<Word> / kHogBlockValues;
    float sums[Share::kPasses][Share::kDown][Share::kAcross] = {};
#pragma unroll 1
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        const int plane = iteration * kPlanesPerIteration<Word, kIterations> + own;
        load_tile(values + plane * level.block_pitch, level, kPlanes<Word> * level.block_pitch, unit, lane, tile);
        const Word* from = static_cast<const Word*>(tables.weights) + plane * kWeightWords;
        for (int i = lane; i < kWeightWords / 4; i += kHalfWarp) {
            reinterpret_cast<uint4*>(weights)[i] = __ldg(reinterpret_cast<const uint4*>(from) + i);
        }
        if (lane < kWeightPitch) weights[kWeightWords + lane] = Word{};
        __syncwarp();
#pragma unroll
        for (int pass = 0; pass < Share::kPasses; ++pass) {
            const Word* corner = tile + Share::row(lane, pass) * kTilePitch + Share::column(lane);
            Share::convolve(corner, weights, sums[pass]);
        }
        __syncwarp();
    }
    auto* partial = reinterpret_cast<float*>(tile);  // the tile is no longer needed
#pragma unroll
    for (int pass = 0; pass < Share::kPasses; ++pass) {
#pragma unroll
        for (int i = 0; i < Share::kDown * Share::kAcross; ++i) {
            const int row = Share::row(lane, pass) + i / Share::kAcross;
            partial[row * kSvmColumns + Share::column(lane) + i % Share::kAcross] =
                sums[pass][i / Share::kAcross][i % Share::kAcross];
        }
    }
    __syncthreads();
    if (threadIdx.x >= kWindows) return;
    const int column = unit.x + static_cast<int>(threadIdx.x) % kSvmColumns;
    const int row = unit.y + static_cast<int>(threadIdx.x) / kSvmColumns;
    if (column >= level.columns || row >= level.rows) return;
    float margin = tables.bias;
#pragma unroll
    for (int p = 0; p < kPlanesPerIteration<Word, kIterations>; ++p) {
        margin += reinterpret_cast<const float*>(shared)[p * kPlaneWords + static_cast<int>(threadIdx.x)];
    }
    if (margin >= output.threshold) report(level, output, column, row, margin);
}

template <typename Word, typename Share, int kIterations>
void launch_iterations(const HogLaunch& work) {
    LaunchChain(work.stream, false)
        .launch("hog_svm_kernel", hog_svm_kernel<Word, Share, kIterations>,
                LaunchSize{work.blocks(), kThreads<Word, kIterations>, kSharedBytes<Word, kIterations>}, work.tables,
                work.first_unit(), work.output);
}

template <typename Word, typename Share>
void launch(const HogLaunch& work) {
    const bool fits = work.shared_memory >= static_cast<std::size_t>(kSharedBytes<Word, 1>);
    (fits ? launch_iterations<Word, Share, 1> : launch_iterations<Word, Share, 2>)(work);
}

}  // namespace throng::gpu::svm
