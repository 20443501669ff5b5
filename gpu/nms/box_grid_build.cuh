// The binning of a frame in three steps, each of which needs all of the one before. As functions, because frames that
// may turn out to be small share their launches with another engine.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/whole_sectors.cuh"

namespace throng::gpu {

// A detection, loaded before it is known how many there are, to wait once for all; never from a cache, for the kernel
// may have started early.
struct RawDetection {
    Box box{};
    float score = 0.0F;

    RawDetection() = default;
    __device__ __forceinline__ RawDetection(const DetectionSpan& raw, std::uint32_t i) {
        if (i >= static_cast<std::uint32_t>(raw.capacity)) return;
        const float4 v = __ldcg(reinterpret_cast<const float4*>(raw.boxes) + i);
        box = {v.x, v.y, v.z, v.w};
        score = __ldcg(raw.scores + i);
    }
};

__device__ __forceinline__ std::uint32_t cell_of(const BoxGrid& g, const Extents& e, int level) {
    const float scale = cell_scale(level);
    return cell_index(g, level, cell_coordinate(e.left, scale * static_cast<float>(BoxGrid::kFine)),
                      cell_coordinate(e.top, scale));
}

// Adds what the threads of a block know of their detections to the sums of the frame. By whole blocks.
template <std::uint32_t kThreads>
__device__ __forceinline__ void add_sums(GridSums& d_sums, bool there, bool valid, int level, bool coarse,
                                         float score) {
    constexpr std::uint32_t kWarps = kThreads / 32;
    constexpr std::uint32_t kWords = offsetof(GridSums, unused) / sizeof(std::uint32_t);
    constexpr std::uint32_t kInvalid = offsetof(GridSums, invalid) / sizeof(std::uint32_t);
    constexpr std::uint32_t kBest = offsetof(GridSums, best_key) / sizeof(std::uint32_t);
    constexpr std::uint32_t kWorst = offsetof(GridSums, worst_key) / sizeof(std::uint32_t);
    __shared__ GridSums of_warps[kWarps];
    GridSums sums{};
#pragma unroll
    for (int word = 0; word < GridSums::kLevelWords; ++word)
        sums.levels[word] = warp_or(valid && level / 32 == word ? 1U << level % 32 : 0);
    sums.invalid = __popc(__ballot_sync(kWholeWarp, there && !valid));
    sums.coarse = __any_sync(kWholeWarp, coarse) ? 1 : 0;
    const std::uint32_t key = valid ? score_key(score) : kInvalidKey;
    sums.best_key = warp_max(key);
    const std::uint32_t below = valid ? ~key : 0;
    sums.worst_key = warp_max(below);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sums;
    __syncthreads();
    if (threadIdx.x >= kWords) return;
    std::uint32_t word = 0;
#pragma unroll
    for (std::uint32_t w = 0; w < kWarps; ++w) {
        const std::uint32_t its = reinterpret_cast<const std::uint32_t*>(of_warps + w)[threadIdx.x];
        word = threadIdx.x == kInvalid ? word + its : threadIdx.x >= kBest ? max(word, its) : word | its;
    }
    static_assert(kBest + 1 == kWorst && kWorst + 1 == kWords);
    if (word == 0) return;
    std::uint32_t* const all = reinterpret_cast<std::uint32_t*>(&d_sums) + threadIdx.x;
    if (threadIdx.x == kInvalid) {
        atomicAdd(all, word);
    } else if (threadIdx.x >= kBest) {
        atomicMax(all, word);
    } else {
        atomicOr(all, word);
    }
}

// Drops what is invalid, finds each detection's cell and its place among those of the cell. A thread for each of n; by
// whole blocks of kThreads. detection: with the number of the thread.
template <std::uint32_t kThreads>
__device__ __forceinline__ void assign_cells(const GridBuild& build, const NmsTask& task, const RawDetection& detection,
                                             std::uint32_t n) {
    const BoxGrid& g = build.grid;
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    for (std::uint32_t k = i; k < build.clear_words; k += gridDim.x * kThreads) build.d_clear[k] = 0;
    if (blockIdx.x * kThreads >= n) return;
    std::uint32_t slot = 0;
    const bool valid = i < n && is_valid_detection(detection.box, detection.score);
    bool coarse = false;
    int level = 0;
    if (valid) {
        const Extents e = extents_of(detection.box, build.extent);
        level = level_of(e);
        coarse = is_coarse(e, detection.box, build.extent);
        slot = atomicAdd(&g.counts[cell_of(g, e, level)], 1U);
    }
    if (i < n && task.owner != nullptr) task.owner[i] = -1;
    add_sums<kThreads>(*g.sums, i < n, valid, level, coarse, detection.score);
    if (i < n) g.slots[i] = slot;  // last, for it has been long on its way
}

// Hands the sums on to the searches. By the first warp of a block.
static __device__ void publish_sums(const GridBuild& build, std::uint32_t n) {
    const BoxGrid& g = build.grid;
    constexpr std::uint32_t kWords = sizeof(GridSums) / sizeof(std::uint32_t);
    const std::uint32_t lane = threadIdx.x;
    auto* words = reinterpret_cast<std::uint32_t*>(g.sums);
    const std::uint32_t word = lane < kWords ? words[lane] : 0;
    if (lane < kWords) {
        words[lane] = 0;
        reinterpret_cast<std::uint32_t*>(&g.header->sums)[lane] = word;
    }
    const auto of = [&](std::size_t offset) {
        return __shfl_sync(kWholeWarp, word, static_cast<int>(offset / sizeof(std::uint32_t)));
    };
    static_assert(offsetof(GridSums, levels) == 0);
    const std::uint32_t levels = __ballot_sync(kWholeWarp, lane < GridSums::kLevelWords && word != 0);
    const int first = max(__ffs(static_cast<int>(levels)) - 1, 0);
    const int last = max(31 - __clz(static_cast<int>(levels)), 0);
    const std::uint32_t of_first = __shfl_sync(kWholeWarp, word, first);
    const std::uint32_t of_last = __shfl_sync(kWholeWarp, word, last);
    const std::uint32_t behind = __shfl_sync(kWholeWarp, word, first + 1);
    const std::uint32_t invalid = of(offsetof(GridSums, invalid));
    const std::uint32_t coarse = of(offsetof(GridSums, coarse));
    const std::uint32_t best = of(offsetof(GridSums, best_key));
    const std::uint32_t worst = of(offsetof(GridSums, worst_key));
    const int lowest = max(__ffs(static_cast<int>(of_first)) - 1, 0);
    SearchPlan plan;
    plan.lowest = first * 32 + lowest;
    plan.highest = last * 32 + max(31 - __clz(static_cast<int>(of_last)), 0);
    plan.present = __funnelshift_r(of_first, first + 1 < GridSums::kLevelWords ? behind : 0, lowest);
    plan.coarse = coarse;
    plan.stored = n - invalid;
    plan.all = g.bounds.everywhere ? plan.stored : 0;
    plan.best = score_of_key(best);
    plan.worst = score_of_key(~worst);
    static_assert(GridHeader::kCopies <= 32);
    if (lane < GridHeader::kCopies) g.header->copies[lane].plan = plan;
}

// Gives each cell its stretch of the records: those of a block side by side, blocks in any order. Leaves the counts and
// sums at 0 for the next frame. Each of the first `blocks` blocks works with its first `threads` threads, a multiple of
// 64, four cells each, which are all cells then; the block after these has the sums. Other threads must have left.
__device__ __forceinline__ void allot_cells(const GridBuild& build, std::uint32_t n, std::uint32_t threads,
                                            std::uint32_t blocks, uint4 counts) {
    const BoxGrid& g = build.grid;
    if (blockIdx.x >= blocks) {
        if (blockIdx.x == blocks && threadIdx.x < 32) publish_sums(build, n);
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
    const std::uint32_t before = warp_sum(lane < warp ? warp_sums[lane] : 0);
    if (threadIdx.x == threads - 1) {
        const std::uint32_t total = before + sum;
        start = total != 0 ? atomicAdd(g.allotted, total) : 0;
    }
    __syncthreads();
    const std::uint32_t x = start + before + sum - count;
    const std::uint32_t y = x + counts.x;
    const std::uint32_t z = y + counts.y;
    const Halves halves(make_uint4(x, y, y, z), make_uint4(z, z + counts.z, z + counts.z, z + counts.z + counts.w));
    uint4* cells = reinterpret_cast<uint4*>(g.cells) + std::size_t{four / 2} * 4 + four % 2;
    cells[0] = halves.of_even;
    cells[2] = halves.of_odd;
}

// The counts that a thread of allot_cells works on; before it is known whether that is needed.
__device__ __forceinline__ uint4 load_counts(const BoxGrid& g, std::uint32_t threads, std::uint32_t blocks) {
    const bool there = blockIdx.x < blocks && threadIdx.x < threads;
    return there ? reinterpret_cast<const uint4*>(g.counts)[blockIdx.x * threads + threadIdx.x] : uint4{};
}

// The record of detection i of n, and its cell: known before it is known where that begins. For whole warps.
struct PlacedRecord {
    Halves halves;
    std::uint32_t cell;  // kNone: there is no record

    __device__ __forceinline__ PlacedRecord(const GridBuild& build, const RawDetection& detection, std::uint32_t i,
                                            std::uint32_t n)
        : halves(edges_of(detection.box), more_of(build, detection, i)), cell(kNone) {
        if (i >= n || !is_valid_detection(detection.box, detection.score)) return;
        const Extents e = extents_of(detection.box, build.extent);
        cell = cell_of(build.grid, e, level_of(e));
    }

private:
    // The halves of a GridRecord.
    __device__ __forceinline__ static uint4 edges_of(const Box& b) {
        return make_uint4(__float_as_uint(b.x), __float_as_uint(b.y), __float_as_uint(b.x + b.w),
                          __float_as_uint(b.y + b.h));
    }
    __device__ __forceinline__ static uint4 more_of(const GridBuild& build, const RawDetection& detection,
                                                    std::uint32_t i) {
        return make_uint4(__float_as_uint(detection.score), __float_as_uint(box_area(detection.box, build.extent)), i,
                          0);
    }
};

// Writes record i, once all cells are allotted. For whole warps.
__device__ __forceinline__ void fill_cell(const GridBuild& build, const PlacedRecord& record, std::uint32_t i) {
    const BoxGrid& g = build.grid;
    if (i == 0) *g.allotted = 0;
    const bool there = record.cell != kNone;
    const std::uint32_t first = load_now(there, &g.cells[record.cell].first, 0);
    const std::uint32_t slot = load_now(there, g.slots + i, 0);
    const std::uint32_t mine = there ? first + slot : kNone;
    const std::uint32_t its = __shfl_xor_sync(kWholeWarp, mine, 1);
    const bool odd = Halves::is_odd();
    const std::uint32_t even_one = odd ? its : mine;
    const std::uint32_t odd_one = odd ? mine : its;
    uint4* halves = reinterpret_cast<uint4*>(g.records) + (odd ? 1 : 0);
    if (even_one != kNone) halves[std::size_t{even_one} * 2] = record.halves.of_even;
    if (odd_one != kNone) halves[std::size_t{odd_one} * 2] = record.halves.of_odd;
}

}  // namespace throng::gpu
