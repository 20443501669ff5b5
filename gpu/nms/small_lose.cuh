// Greedy: who is suppressed by one that nobody suppresses, and by whom the others are.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_rows.cuh"

namespace throng::gpu {

// A block for some groups of 32 detections.
template <std::uint32_t kThreads, std::uint32_t kEach>
struct SmallLose {
    static constexpr std::uint32_t kWarps = kThreads / 32;
    using Rows = SmallRows<kWarps, kEach>;

    // Whether the frame is not too large; where it is, nobody has waited for the kernel in front.
    [[nodiscard]] __device__ __forceinline__ static bool run(const SmallNmsTask& small, const SmallShape& shape) {
        __shared__ std::uint32_t by_free;  // bits of the group
        __shared__ std::uint32_t by_any;
        __shared__ std::uint32_t free_of_group;
        __shared__ std::uint32_t count;  // of edges
        let_next_start();
        const SmallNmsScratch& scratch = small.scratch;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        const std::uint32_t n = small_count(small.task.raw);
        const std::uint32_t words = words_for(n);

        if (threadIdx.x == 0) by_free = by_any = count = 0;
        __syncthreads();

        if (n > shape.capacity) return false;
        Rows rows(scratch, shape);

        wait_for_previous();
        std::uint32_t row[kEach];
        rows.load_bits(row, blockIdx.x, words);
        rows.load_gone(n);
        std::uint32_t free[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) free[k] = Rows::word(k) < words ? rows.free(k, n) : 0;
        for (std::uint32_t group = blockIdx.x; group < words; group += gridDim.x) {
            if (group != blockIdx.x) rows.load_bits(row, group, words);
            std::uint32_t any = 0;
            bool lost = false;
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                any |= row[k];
                lost = lost || (row[k] & free[k]) != 0;
                if (Rows::word(k) == group) free_of_group = free[k];
            }
            const std::uint32_t anys = __ballot_sync(kWholeWarp, any != 0);
            const std::uint32_t losts = __ballot_sync(kWholeWarp, lost);
            if (lane == 0 && anys != 0) atomicOr(&by_any, anys);
            if (lane == 0 && losts != 0) atomicOr(&by_free, losts);
            __syncthreads();

            const std::uint32_t opens = by_any & ~by_free;
            const std::uint32_t i = group * 32 + lane;
            if (warp == 0) {
                const bool is_open = (opens >> lane & 1U) != 0;
                const bool is_free = (free_of_group >> lane & 1U) != 0;
                const SmallState state = is_free ? SmallState::stays : is_open ? SmallState::open : SmallState::lost;
                scratch.state[i] = static_cast<std::uint8_t>(state);
            }
            if ((opens >> lane & 1U) != 0) {
                std::uint32_t* edges = scratch.edges + group * SmallNmsScratch::kSegment;
                std::uint32_t its = 0;
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) its += __popc(row[k]);
                std::uint32_t at = its != 0 ? atomicAdd(&count, its) : 0;
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) {
#pragma unroll 1
                    for (std::uint32_t bits = row[k]; bits != 0 && at < SmallNmsScratch::kSegment;
                         bits &= bits - 1, ++at)
                        edges[at] = i << 16 | (Rows::word(k) * 32 + __ffs(static_cast<int>(bits)) - 1);
                }
            }
            __syncthreads();
            if (threadIdx.x == 0) scratch.edge_count[group] = count;
            if (group + gridDim.x >= words) break;
            if (threadIdx.x == 0) by_free = by_any = count = 0;
            __syncthreads();
        }
        return true;
    }
};

}  // namespace throng::gpu
