// Greedy: decides the detections that no detection without suppressors settles. They lie in the block's entries.
#pragma once

#include <cstdint>

#include "gpu/nms/small_entries.cuh"
#include "gpu/nms/small_team.cuh"

namespace throng::gpu::small {

// Rows of bits: which of `count` detections suppress which. Column words lie apart, so that lanes read rows side by
// side.
struct BitMatrix {
    std::uint32_t* words;
    std::uint32_t count;
    std::uint32_t rows;  // count, rounded up to whole warps

    __device__ BitMatrix(std::uint32_t* memory, std::uint32_t n) : words(memory), count(n), rows(round_up(n, 32)) {}
    [[nodiscard]] __device__ std::uint32_t columns() const { return rows / 32; }
    __device__ void clear() const {
        for (std::uint32_t w = threadIdx.x; w < rows * columns(); w += kThreads) words[w] = 0;
    }
    __device__ void set(std::uint32_t row, std::uint32_t column) const {
        atomicOr(words + column / 32 * rows + row, 1U << column % 32);
    }
};

// Keeps, in rounds, what no undecided or kept one suppresses; removes what a kept one does. A thread a row, at most
// kThreads of them. Returns whether the thread's own is kept.
__device__ __forceinline__ bool settle_by_rounds(const BitMatrix& matrix) {
    __shared__ std::uint32_t kept[kWarps];
    __shared__ std::uint32_t removed[kWarps];
    const std::uint32_t row = threadIdx.x;
    const std::uint32_t warp = row / 32;
    if (row < kWarps) {
        kept[row] = 0;
        removed[row] = 0;
    }
    __syncthreads();
    bool undecided = row < matrix.count;
    bool is_kept = false;
    while (true) {
        if (undecided) {
            bool blocked = false;
            for (std::uint32_t c = 0; c < matrix.columns() && undecided; ++c) {
                const std::uint32_t suppressors = matrix.words[c * matrix.rows + row];
                if ((suppressors & kept[c]) != 0) undecided = false;
                blocked = blocked || (suppressors & ~removed[c]) != 0;
            }
            if (undecided && !blocked) {
                undecided = false;
                is_kept = true;
            }
        }
        const bool again = __syncthreads_or(undecided ? 1 : 0) != 0;
        if (!again) return is_kept;
        const std::uint32_t keeps = __ballot_sync(kWholeWarp, is_kept);
        const std::uint32_t gone = __ballot_sync(kWholeWarp, !undecided && !is_kept);
        if ((row & 31) == 0) {
            kept[warp] = keeps;
            removed[warp] = gone;
        }
        __syncthreads();
    }
}

// The same for any number: in order, 32 at a time, by one block. entries [0, count) lie in order; keep(place) is called
// for each that is kept.
template <typename Keep>
__device__ __forceinline__ void settle_in_turn(const PairRules& pairs, const Entries& entries, std::uint32_t count,
                                               const Keep& keep) {
    constexpr std::uint32_t kEach = kSmallNmsLimit / kThreads;
    __shared__ std::uint32_t victims[32];  // of each of the 32, among them
    __shared__ std::uint32_t kept_of_chunk;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    std::uint32_t removed = 0;  // bit k: the thread's k-th
#pragma unroll 1
    for (std::uint32_t chunk = 0; chunk * 32 < count; ++chunk) {
        const std::uint32_t first = chunk * 32;
        const std::uint32_t p = first + lane;
        const Entry mine = entries.load(min(p, count - 1));
#pragma unroll 1
        for (std::uint32_t k = warp; k < 32; k += kWarps) {
            bool hit = lane > k && p < count && meet(mine.edges, entries.edges[first + k]);
            if (hit) hit = entry_suppresses(pairs, mine, entries.load(first + k));
            __syncwarp();
            const std::uint32_t hits = __ballot_sync(kWholeWarp, hit);
            if (lane == 0) victims[k] = hits;
        }
        __syncthreads();
        if (chunk % kWarps == warp) {
            const std::uint32_t mine_suppresses = victims[lane];
            std::uint32_t kept = __ballot_sync(kWholeWarp, p < count && (removed >> chunk / kWarps & 1U) == 0);
#pragma unroll 4
            for (std::uint32_t k = 0; k < 32; ++k) {
                const std::uint32_t gone = __shfl_sync(kWholeWarp, mine_suppresses, static_cast<int>(k));
                if ((kept >> k & 1U) != 0) kept &= ~gone;
            }
            if ((kept >> lane & 1U) != 0) keep(p);
            if (lane == 0) kept_of_chunk = kept;
        }
        __syncthreads();
        const std::uint32_t kept = kept_of_chunk;
#pragma unroll 1
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t q = k * kThreads + threadIdx.x;
            if (q >= count) break;
            if (q < first + 32 || (removed >> k & 1U) != 0) continue;
            const Entry later = entries.load(q);
            const float4 reach = narrow_edges(later.edges, pairs.plan.least_share);
#pragma unroll 1
            for (std::uint32_t rest = kept; rest != 0; rest &= rest - 1) {
                const std::uint32_t j = first + __ffs(rest) - 1;
                if (!meet(reach, entries.edges[j]) || !entry_suppresses(pairs, later, entries.load(j))) continue;
                removed |= 1U << k;
                break;
            }
        }
    }
    __syncthreads();
}

}  // namespace throng::gpu::small
