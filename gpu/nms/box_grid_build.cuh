// The binning of a frame in three steps, each of which needs all of the one before. As functions, because frames that
// may turn out to be small share their launches with another engine.
#pragma once

#include <cuda_runtime.h>

#include "gpu/nms/box_grid.cuh"

namespace throng::gpu {

constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

// A detection as the first step loads it, before it is known how many there are, to wait once for all.
struct RawDetection {
    Box box{};
    float score = 0.0F;

    RawDetection() = default;
    __device__ __forceinline__ RawDetection(const DetectionSpan& raw, std::uint32_t i) {
        if (i >= static_cast<std::uint32_t>(raw.capacity)) return;
        box = load_box(raw.boxes, i);
        score = raw.scores[i];
    }
};

// Drops what is invalid, finds each detection's cell and its place among those of the cell. A thread for each of n; by
// whole blocks of kThreads. detection: with the number of the thread.
template <std::uint32_t kThreads>
__device__ __forceinline__ void assign_cells(const GridBuild& build, const NmsTask& task, const RawDetection& detection,
                                             std::uint32_t n) {
    const BoxGrid& g = build.grid;
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    for (std::uint32_t k = i; k < build.clear_words; k += gridDim.x * kThreads) build.d_clear[k] = 0;
    if (blockIdx.x * kThreads >= n) return;
    __shared__ GridSums sums;
    constexpr std::uint32_t kWords = sizeof(GridSums) / sizeof(std::uint32_t);
    auto* words = reinterpret_cast<std::uint32_t*>(&sums);
    if (threadIdx.x < kWords) words[threadIdx.x] = 0;
    __syncthreads();
    std::uint32_t key = kInvalidKey;
    bool coarse = false;
    GridPlace place{kNoCell, 0};
    if (i < n) {
        if (is_valid_detection(detection.box, detection.score)) {
            const Extents e = extents_of(detection.box, build.extent);
            const int level = level_of(e);
            const float scale = cell_scale(level);
            coarse = is_coarse(e, detection.box, build.extent);
            key = score_key(detection.score);
            place.cell = cell_index(g, level, cell_coordinate(e.left, scale * static_cast<float>(BoxGrid::kFine)),
                                    cell_coordinate(e.top, scale));
            place.slot = atomicAdd(&g.counts[place.cell], 1U);
            if ((sums.levels[level / 32] >> (level % 32) & 1U) == 0)
                atomicOr(&sums.levels[level / 32], 1U << (level % 32));
        }
        if (task.owner != nullptr) task.owner[i] = -1;
    }
    const std::uint32_t best = warp_max(key);
    const std::uint32_t worst = warp_max(key != kInvalidKey ? ~key : 0);
    if ((threadIdx.x & 31) == 0) {
        atomicMax(&sums.best_key, best);
        atomicMax(&sums.worst_key, worst);
    }
    if (coarse) atomicOr(&sums.coarse, 1U);
    const int invalid = __syncthreads_count(i < n && key == kInvalidKey ? 1 : 0);
    if (threadIdx.x == 0) sums.invalid = static_cast<std::uint32_t>(invalid);
    __syncthreads();
    if (i < n) g.places[i] = place;  // the slot has been long on its way
    if (threadIdx.x < kWords && words[threadIdx.x] != 0) {
        std::uint32_t* all = reinterpret_cast<std::uint32_t*>(g.sums) + threadIdx.x;
        const std::uint32_t mine = words[threadIdx.x];
        if (&words[threadIdx.x] == &sums.invalid) {
            atomicAdd(all, mine);
        } else if (&words[threadIdx.x] == &sums.best_key || &words[threadIdx.x] == &sums.worst_key) {
            atomicMax(all, mine);
        } else {
            atomicOr(all, mine);
        }
    }
}

// Hands the sums on to the searches.
static __device__ void publish_sums(const BoxGrid& g, std::uint32_t n) {
    GridHeader header{};
    header.sums = *g.sums;
    *g.sums = GridSums{};
    header.stored = n - header.sums.invalid;
    for (int word = GridSums::kLevelWords - 1; word >= 0; --word) {
        if (header.sums.levels[word] != 0) header.lowest = word * 32 + __ffs(header.sums.levels[word]) - 1;
    }
    for (int word = 0; word < GridSums::kLevelWords; ++word) {
        if (header.sums.levels[word] != 0) header.highest = word * 32 + 31 - __clz(header.sums.levels[word]);
    }
    *g.header = header;
}

// Gives each cell its stretch of the records: those of a block side by side, blocks in any order. Leaves the counts and
// sums at 0 for the next frame. Each of the first `blocks` blocks works with its first `threads` threads, a multiple of
// 64, four cells each, which are all cells then; the block after these has the sums. Other threads must have left.
__device__ __forceinline__ void allot_cells(const BoxGrid& g, std::uint32_t n, std::uint32_t threads,
                                            std::uint32_t blocks, uint4 counts) {
    if (blockIdx.x >= blocks) {
        if (blockIdx.x == blocks && threadIdx.x == 0) publish_sums(g, n);
        return;
    }
    const std::uint32_t four = blockIdx.x * threads + threadIdx.x;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t count = counts.x + counts.y + counts.z + counts.w;
    if (count != 0) reinterpret_cast<uint4*>(g.counts)[four] = uint4{};
    const std::uint32_t sum = Group<32>().sum_up_to(count);
    __shared__ std::uint32_t warp_sums[32];
    __shared__ std::uint32_t start;
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    std::uint32_t before = 0;
    for (std::uint32_t w = 0; w < warp; ++w) before += warp_sums[w];
    if (threadIdx.x == threads - 1) {
        const std::uint32_t total = before + sum;
        start = total != 0 ? atomicAdd(g.allotted, total) : 0;
    }
    __syncthreads();
    const std::uint32_t x = start + before + sum - count;
    const std::uint32_t y = x + counts.x;
    const std::uint32_t z = y + counts.y;
    uint4* cells = reinterpret_cast<uint4*>(g.cells) + std::size_t{four} * 2;
    cells[0] = make_uint4(x, counts.x, y, counts.y);
    cells[1] = make_uint4(z, counts.z, z + counts.z, counts.w);
}

// The counts that a thread of allot_cells works on; before it is known whether that is needed.
__device__ __forceinline__ uint4 load_counts(const BoxGrid& g, std::uint32_t threads, std::uint32_t blocks) {
    const bool there = blockIdx.x < blocks && threadIdx.x < threads;
    return there ? reinterpret_cast<const uint4*>(g.counts)[blockIdx.x * threads + threadIdx.x] : uint4{};
}

// Writes record i of n, where it is valid.
__device__ __forceinline__ void fill_cell(const GridBuild& build, const RawDetection& detection, GridPlace place,
                                          std::uint32_t i, std::uint32_t n) {
    const BoxGrid& g = build.grid;
    const Box& b = detection.box;
    if (i == 0) *g.allotted = 0;
    if (i >= n || place.cell == kNoCell) return;
    float4* to = reinterpret_cast<float4*>(g.records + g.cells[place.cell].start + place.slot);
    to[0] = make_float4(b.x, b.y, b.x + b.w, b.y + b.h);
    to[1] = make_float4(detection.score, box_area(b, build.extent), __uint_as_float(i), 0.0F);
}
__device__ __forceinline__ GridPlace load_place(const BoxGrid& g, const DetectionSpan& raw, std::uint32_t i) {
    return i < static_cast<std::uint32_t>(raw.capacity) ? g.places[i] : GridPlace{kNoCell, 0};
}

}  // namespace throng::gpu
