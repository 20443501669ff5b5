// Greedy: who is suppressed by one that nobody suppresses, and by whom the others are.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_edges.cuh"
#include "gpu/nms/small_rows.cuh"

namespace throng::gpu {

// A block for some groups of 32 detections. together: for one; all blocks run at the same time, and in dense clusters
// they tell each other who is open before they list edges, because most are from those that are lost.
template <std::uint32_t kThreads, std::uint32_t kEach, bool together>
class SmallLose {
    static constexpr std::uint32_t kWarps = kThreads / 32;
    using Rows = SmallRows<kWarps, kEach>;

    struct Shared {
        std::uint32_t by_free;  // bits of the group
        std::uint32_t by_any;
        std::uint32_t free_of_group;
        std::uint32_t number;
        std::uint32_t count;                                // of edges
        std::uint32_t open[together ? kWarps * kEach : 1];  // bits by index
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
        __syncthreads();
        const std::uint32_t n = s.number;
        const std::uint32_t words = words_for(n);
        if (n > shape.capacity) return false;
        Rows rows(scratch, shape);

        wait_for_previous();
        std::uint32_t row[kEach];
        rows.load_bits(row, blockIdx.x, words);
        rows.load_gone(n, words);
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
            bool many = false;
            if constexpr (together) {
                many = __syncthreads_count(any != 0 ? 1 : 0) > kMany;
            } else {
                __syncthreads();
            }

            const std::uint32_t opens = s.by_any & ~s.by_free;
            if constexpr (together) tell_open(scratch, opens);
            if (many) {
                read_open(s.open, scratch, words);
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) row[k] &= s.open[Rows::word(k)];
            }
            std::uint32_t* list = scratch.edges + group * SmallNmsScratch::kSegment;
            if ((opens >> lane & 1U) != 0) {
                const std::uint32_t edge = Edge::pack(lane, __popc(opens & lowest_bits(lane)));
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
            __syncthreads();
            if (threadIdx.x == 0) *reinterpret_cast<uint4*>(list) = make_uint4(s.count, opens, s.free_of_group, 0);
            if (group + gridDim.x >= words) break;
            if (threadIdx.x == 0) s.by_free = s.by_any = s.count = 0;
            __syncthreads();
        }
        return true;
    }

private:
    // Of the threads of a block, so many whose words of the matrix suppress something: a dense cluster.
    static constexpr int kMany = kThreads * 3 / 8;
    static constexpr std::uint32_t kTold = 1U << 31;

    // Of a group two words, halves of the bits, which are 0 before: kTold says that they have been written, so there is
    // nothing else to wait for.
    __device__ __forceinline__ static void tell_open(const SmallNmsScratch& scratch, std::uint32_t opens) {
        if (threadIdx.x >= 2) return;
        const std::uint32_t half = opens >> 16 * threadIdx.x & 0xFFFFU;
        std::uint32_t* at = scratch.open + blockIdx.x * SmallNmsScratch::kLine + threadIdx.x;
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(half | kTold) : "memory");
    }
    // One warp reads, because many that read the same lines take long. Ends with all threads there.
    __device__ __forceinline__ static void read_open(std::uint32_t* open, const SmallNmsScratch& scratch,
                                                     std::uint32_t words) {
        if (threadIdx.x < 32) {
            uint2 told[kEach];
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) told[k] = make_uint2(0, 0);
            for (bool again = true; again;) {
                again = false;
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) {
                    const std::uint32_t group = threadIdx.x + k * kWarps;
                    if (group >= words || (told[k].x & told[k].y & kTold) != 0) continue;
                    const std::uint32_t* at = scratch.open + group * SmallNmsScratch::kLine;
                    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                                 : "=r"(told[k].x), "=r"(told[k].y)
                                 : "l"(at)
                                 : "memory");
                    again = true;
                }
            }
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k)
                open[threadIdx.x + k * kWarps] = (told[k].x & 0xFFFFU) | told[k].y << 16;
        }
        __syncthreads();
    }
};

}  // namespace throng::gpu
