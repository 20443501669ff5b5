// Greedy: who is suppressed by one that nobody suppresses, and by whom the others are.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_edges.cuh"
#include "gpu/nms/small_numbers.cuh"
#include "gpu/nms/small_rows.cuh"

namespace throng::gpu {

// A block for some groups of 32 detections, which lists the suppressors of those that are open, as edges. together: for
// one group; all blocks run at the same time and number all open ones, unless there are too many, and then a row of
// bits tells who suppresses one of them.
template <std::uint32_t kThreads, std::uint32_t kEach, bool together>
class SmallLose {
    static constexpr std::uint32_t kWarps = kThreads / 32;
    using Rows = SmallRows<kWarps, kEach>;

    using Numbers = SmallNumbers<kWarps * kEach>;
    struct Nothing {};

    struct Shared {
        std::uint32_t by_free;  // bits of the group
        std::uint32_t by_any;
        std::uint32_t free_of_group;
        std::uint32_t number;
        std::uint32_t count;  // of edges
        std::conditional_t<together, typename Numbers::Shared, Nothing> numbers;
    };

public:
    // Whether the frame is not too large; where it is, nobody has waited for the kernel in front.
    [[nodiscard]] __device__ __forceinline__ static bool run(const SmallNmsTask& small, const SmallShape& shape) {
        __shared__ Shared memory;
        Shared& s = hold_address(&memory);
        let_next_start();
        const SmallNmsScratch& scratch = small.scratch;
        const std::uint32_t lane = threadIdx.x % 32;
        if (threadIdx.x == 0) {
            s.by_free = s.by_any = s.count = 0;
            s.number = small_count(small.task.raw);
        }
        if constexpr (together) Numbers{s.numbers}.template prepare<kThreads>();
        __syncthreads();
        const std::uint32_t n = s.number;
        const std::uint32_t words = words_for(n);
        if (n > shape.capacity) return false;
        Rows rows(scratch, shape);
        rows.learn(n);

        wait_for_previous();
        std::uint32_t row[kEach];
        rows.load_bits(row, blockIdx.x, words);
        rows.load_gone();
        std::uint32_t free[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) free[k] = rows.free(k);
        for (std::uint32_t group = blockIdx.x; group < words; group += gridDim.x) {
            if (group != blockIdx.x) rows.load_bits(row, group, words);
            std::uint32_t any = 0;
            bool lost = false;
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                any |= row[k];
                lost = lost || (row[k] & free[k]) != 0;
                if (Rows::word(k) == group) s.free_of_group = free[k];
            }
            const std::uint32_t anys = __ballot_sync(kWholeWarp, any != 0);
            const std::uint32_t losts = __ballot_sync(kWholeWarp, lost);
            if (lane == 0 && anys != 0) atomicOr(&s.by_any, anys);
            if (lane == 0 && losts != 0) atomicOr(&s.by_free, losts);
            __syncthreads();

            const std::uint32_t opens = s.by_any & ~s.by_free;
            const bool is_open = (opens >> lane & 1U) != 0;
            const std::uint32_t rank = __popc(opens & lowest_bits(lane));
            std::uint32_t* list = scratch.edges + group * SmallNmsScratch::kSegment;
            std::uint32_t numbers = 0;
            bool listed = true;
            if constexpr (together) {
                const Numbers open{s.numbers};
                Numbers::tell(scratch, opens);
                open.learn(scratch, words);
                __syncthreads();
                const std::uint32_t all = s.numbers.all;
                const std::uint32_t first = s.numbers.open[group].y;
                numbers = all * ListHead::kAll | first;
                listed = all > Numbers::kMaxOpen;
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) {
                    const uint2 theirs = s.numbers.open[Rows::word(k)];
                    row[k] &= theirs.x;  // the others are lost
                    if (!listed) open.add(rank, theirs, is_open ? row[k] : 0);
                }
                if (!listed) {
                    if (threadIdx.x < 32 && is_open) scratch.who[first + rank] = group * 32 + lane;
                    __syncthreads();
                    open.write(scratch, __popc(opens), first, all);
                }
            }
            if (listed && is_open) {
                const std::uint32_t edge = Edge::pack(lane, rank);
                std::uint32_t its = 0;
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) its += __popc(row[k]);
                std::uint32_t at = its != 0 ? atomicAdd(&s.count, its) : 0;
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) {
#pragma unroll 1
                    for (std::uint32_t bits = row[k]; bits != 0 && at < SmallNmsScratch::kEdges; bits &= bits - 1, ++at)
                        list[SmallNmsScratch::kHead + at] =
                            edge | (Rows::word(k) * 32 + __ffs(static_cast<int>(bits)) - 1);
                }
            }
            if (listed) __syncthreads();
            if (threadIdx.x == 0)
                *reinterpret_cast<ListHead*>(list) = ListHead{s.count, opens, s.free_of_group, numbers};
            if (group + gridDim.x >= words) break;
            if (threadIdx.x == 0) s.by_free = s.by_any = s.count = 0;
            __syncthreads();
        }
        return true;
    }
};

}  // namespace throng::gpu
