// Greedy: decides those that the step before left open. Every block does it for itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/nms/small_edges.cuh"

namespace throng::gpu {

// All open ones are numbered, and who suppresses whom of them is put into rows of bits. kMost: detections.
template <std::uint32_t kMost>
struct SmallSettle {
    static constexpr std::uint32_t kMostWords = kMost / 32;
    static constexpr std::uint32_t kMostOpen = kMost / 8;  // for which there are rows of bits
    static constexpr std::uint32_t kMostEdges = std::max(2 * kMost, 5120U);
    struct Shared {
        union {
            // Open ones by number: bit k of [w][i]: number 32 w + k suppresses i.
            alignas(16) std::uint32_t rows[kMostOpen / 32][kMostOpen];
            // Where there are more: suppressed << 16 | its suppressor, open ones.
            std::uint32_t edges[kMostEdges];
        };
        uint2 open[kMostWords];                     // bits by index, and the number of the first
        std::uint32_t numbers;                      // that have been given,
        std::uint32_t taken;                        // and edges that wait
        alignas(16) uint2 decided[kMostOpen / 32];  // bits by number: who is lost, and who stays
        std::uint32_t state[kMost];                 // a SmallState each; by atomics as long as some are open
    };
    Shared& s;
    std::uint32_t* waits;  // [kMost] of shared memory that nothing else uses until then: for how many open ones each
                           // still waits

    // Before the threads next meet.
    __device__ __forceinline__ void prepare() const {
        if (threadIdx.x == 0) s.numbers = s.taken = 0;
    }

    // kept: bits of the warp's words. Calls meanwhile() once, after which the threads meet.
    template <std::uint32_t kWarps, std::uint32_t kEach, typename Meanwhile>
    __device__ __forceinline__ void run(const SmallNmsScratch& scratch, std::uint32_t words,
                                        std::uint32_t (&kept)[kEach], const Meanwhile& meanwhile) const {
        using ListsOfWarp = EdgeLists<kWarps, kEach>;
        const std::uint32_t lane = threadIdx.x % 32;
        ListsOfWarp lists;
        lists.load(scratch.edges, words);
        clear<kWarps * 32>();  // while that comes
        lists.read_heads();
        std::uint32_t first[kEach];  // numbers
        number(lists, first);
        __syncthreads();
        const std::uint32_t open = s.numbers;
        if (open <= kMostOpen) {
            decide_by_rows(scratch, lists, first, open, meanwhile);
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                const std::uint32_t its = first[k] + __popc(lists.open[k] & lowest_bits(lane));
                bool stays = (lists.stays[k] >> lane & 1U) != 0;
                if ((lists.open[k] >> lane & 1U) != 0) stays = (s.decided[its / 32].y >> its % 32 & 1U) != 0;
                kept[k] = __ballot_sync(kWholeWarp, stays);
            }
        } else {
            meanwhile();
            decide_by_edges<kWarps, kEach>(s, waits, scratch.edges, scratch.matrix, words);
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                const std::uint32_t i = ListsOfWarp::word(k) * 32 + lane;
                kept[k] = __ballot_sync(kWholeWarp, s.state[i] == SmallState::stays);
            }
        }
    }

private:
    template <std::uint32_t kThreads>
    __device__ __forceinline__ void clear() const {
        constexpr std::uint32_t kCount = sizeof(s.rows) / sizeof(uint4);
#pragma unroll
        for (std::uint32_t k = threadIdx.x; k < kCount; k += kThreads) reinterpret_cast<uint4*>(s.rows)[k] = uint4{};
        if (threadIdx.x < kMostOpen / 32) s.decided[threadIdx.x] = uint2{};
    }

    // Numbers the open ones of the warp's words, or too many where a list is cut.
    template <class ListsOfWarp, std::uint32_t kEach>
    __device__ __forceinline__ void number(const ListsOfWarp& lists, std::uint32_t (&first)[kEach]) const {
        std::uint32_t all = 0;
        bool cut = false;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            first[k] = all;
            all += __popc(lists.open[k]);
            cut = cut || lists.count[k] > SmallNmsScratch::kEdges;
        }
        const std::uint32_t lane = threadIdx.x % 32;
        std::uint32_t at = 0;
        if (lane == 0) at = atomicAdd(&s.numbers, cut ? kMostOpen + 1 : all);
        at = __shfl_sync(kWholeWarp, at, 0);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            first[k] += at;
            if (lane == 0) s.open[ListsOfWarp::word(k)] = make_uint2(lists.open[k], first[k]);
        }
    }

    // Whoever is suppressed by one that stays is lost; whoever is suppressed by lost ones only stays. A lane has one of
    // the open ones, and looks again and again at what has been decided, until it is. No decision is taken back, so it
    // does not matter when others see it. Ends with all threads there.
    template <class ListsOfWarp, std::uint32_t kEach, typename Meanwhile>
    __device__ __forceinline__ void decide_by_rows(const SmallNmsScratch& scratch, const ListsOfWarp& lists,
                                                   const std::uint32_t (&first)[kEach], std::uint32_t open,
                                                   const Meanwhile& meanwhile) const {
        const std::uint32_t warp = threadIdx.x / 32;
        lists.for_each(scratch.edges, [&](std::uint32_t k, bool given, std::uint32_t edge) {
            const Edge its(edge);
            const uint2 word = s.open[given ? its.by / 32 : 0];
            const std::uint32_t by = word.y + __popc(word.x & lowest_bits(its.by % 32));
            if (given && (word.x >> its.by % 32 & 1U) != 0)
                atomicOr(&s.rows[by / 32][first[k] + its.rank], 1U << by % 32);
        });
        meanwhile();
        __syncthreads();
        if (warp < words_for(open)) watch<4>(open);
        __syncthreads();
    }
    // A warp's share. kWords: of a row, if so many are enough.
    template <std::uint32_t kWords>
    __device__ __forceinline__ void watch(std::uint32_t open) const {
        static_assert(kWords % 2 == 0 && kMostOpen % 32 == 0);
        if constexpr (kWords * 32 < kMostOpen) {
            if (open > kWords * 32) return watch<kWords + 4>(open);
        }
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t i = threadIdx.x;
        std::uint32_t row[kWords];
#pragma unroll
        for (std::uint32_t w = 0; w < kWords; ++w) row[w] = s.rows[w][i];
        bool waiting = i < open;
        uint2 told = make_uint2(0, 0);
        while (__any_sync(kWholeWarp, waiting)) {
            std::uint32_t by_kept = 0;
            std::uint32_t by_others = 0;
#pragma unroll
            for (std::uint32_t w = 0; w < kWords; w += 2) {
                const uint4 known = look(s.decided + w);
                by_kept |= (row[w] & known.y) | (row[w + 1] & known.w);
                by_others |= (row[w] & ~known.x) | (row[w + 1] & ~known.z);
            }
            const std::uint32_t lost = __ballot_sync(kWholeWarp, waiting && by_kept != 0);
            const std::uint32_t stays = __ballot_sync(kWholeWarp, waiting && by_others == 0);
            if ((lost | stays) == 0) continue;
            told = make_uint2(told.x | lost, told.y | stays);
            if (lane == 0) tell(s.decided + i / 32, told);
            waiting = waiting && ((lost | stays) >> lane & 1U) == 0;
            __syncwarp();
        }
    }
    // Other warps write meanwhile.
    [[nodiscard]] __device__ __forceinline__ static uint4 look(const uint2* at) {
        uint4 two;
        asm volatile("ld.relaxed.cta.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(two.x), "=r"(two.y), "=r"(two.z), "=r"(two.w)
                     : "r"(shared_address(at))
                     : "memory");
        return two;
    }
    __device__ __forceinline__ static void tell(uint2* at, uint2 value) {
        static_assert(sizeof(uint2) == sizeof(unsigned long long));
        atomicExch(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value.y) << 32 | value.x);
    }

    // The same where there are more, or a list is cut: a state for each, and edges that wait; where not all of those
    // have room, by the rows of the matrix. Ends with all threads there; no state is open then.
    template <std::uint32_t kWarps, std::uint32_t kEach>
    __device__ __noinline__ static void decide_by_edges(Shared& shared, std::uint32_t* shared_waits,
                                                        const std::uint32_t* d_lists, const std::uint32_t* d_matrix,
                                                        std::uint32_t words) {
        Shared& s = hold_address(&shared);
        std::uint32_t* const waits = &hold_address(shared_waits);
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        EdgeLists<kWarps, kEach> lists;
        lists.load(d_lists, words);
        lists.read_heads();
        std::uint32_t states[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const bool is_open = (lists.open[k] >> lane & 1U) != 0;
            const bool stays = (lists.stays[k] >> lane & 1U) != 0;
            states[k] = is_open ? SmallState::open : stays ? SmallState::stays : SmallState::lost;
            s.state[EdgeLists<kWarps, kEach>::word(k) * 32 + lane] = states[k];
            waits[EdgeLists<kWarps, kEach>::word(k) * 32 + lane] = 0;
        }
        __syncthreads();
        bool listed = true;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) listed = listed && lists.count[k] <= SmallNmsScratch::kEdges;
        // The edges given, if from open ones: the others are lost.
        const auto for_each_open = [&](const auto& put) {
            lists.for_each(d_lists, [&](std::uint32_t k, bool given, std::uint32_t edge) {
                const Edge its(edge);
                const std::uint32_t i = EdgeLists<kWarps, kEach>::word(k) * 32 + its.lane;
                const bool from_open = given && s.state[its.by] == SmallState::open;
                const std::uint32_t votes = __ballot_sync(kWholeWarp, from_open);
                put(from_open, __popc(votes & lowest_bits(lane)), __popc(votes), i << 16 | its.by);
            });
        };
        // Each warp has its part, where those of neighbours are; where that is too small for some, all are dealt out.
        constexpr std::uint32_t kPart = kMostEdges / kWarps;
        std::uint32_t taken = 0;  // by the warp
        for_each_open([&](bool given, std::uint32_t at, std::uint32_t number, std::uint32_t edge) {
            if (given) atomicAdd(waits + (edge >> 16), 1U);
            if (given && taken + at < kPart) s.edges[warp * kPart + taken + at] = edge;
            taken += number;
        });
        std::uint32_t begin = 0;
        if (lane == 0) begin = atomicAdd(&s.taken, taken);
        begin = __shfl_sync(kWholeWarp, begin, 0);
        const bool in_parts = __syncthreads_and(taken <= kPart ? 1 : 0) != 0;
        const bool fits = __syncthreads_and(listed ? 1 : 0) != 0 && s.taken <= kMostEdges;
        if (fits) {
            if (in_parts) {
                begin = warp * kPart;
            } else {
                for_each_open([&](bool given, std::uint32_t at, std::uint32_t number, std::uint32_t edge) {
                    if (given) s.edges[begin + at] = edge;
                    begin += number;
                });
                __syncthreads();
                const std::uint32_t share = (s.taken + kWarps - 1) / kWarps;
                begin = min(warp * share, s.taken);
                taken = warp_max(min(share, s.taken - begin));  // so that it is known to be the same for all lanes
            }
            std::uint32_t left[kEach];
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k)
                left[k] = look(waits, EdgeLists<kWarps, kEach>::word(k) * 32 + lane);
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                if (states[k] == SmallState::open && left[k] == 0)
                    tell(s.state, EdgeLists<kWarps, kEach>::word(k) * 32 + lane, SmallState::stays);
            }
            resolve(s, waits, s.edges + begin, taken);
        } else {
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                if (lane == 0) s.open[EdgeLists<kWarps, kEach>::word(k)] = make_uint2(lists.open[k], lists.stays[k]);
            }
            __syncthreads();
            look_at_rows<kWarps>(s, d_matrix, words);
        }
        __syncthreads();
    }

    // Other warps write meanwhile.
    [[nodiscard]] __device__ __forceinline__ static uint2 look_at_two(const uint2* at) {
        uint2 two;
        asm volatile("ld.relaxed.cta.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(two.x), "=r"(two.y)
                     : "r"(shared_address(at))
                     : "memory");
        return two;
    }
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t look(const std::uint32_t* values, std::uint32_t i) {
        std::uint32_t value;
        asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(values + i)) : "memory");
        return value;
    }
    __device__ __forceinline__ static void tell(std::uint32_t* state, std::uint32_t i, SmallState value) {
        atomicExch(state + i, value);
    }

    // A lane has some edges, and waits until the suppressor of each is decided. Whoever precedes all other open ones
    // waits for nobody, so all get an answer.
    __device__ __forceinline__ static void resolve(Shared& s, std::uint32_t* waits, std::uint32_t* ours,
                                                   std::uint32_t count) {
        const std::uint32_t lane = threadIdx.x % 32;
        if (count <= 32) {
            // As few steps as can be: those that wait take them from those that they wait for.
            std::uint32_t edge = lane < count ? ours[lane] : kNone;
            const bool alone = edge != kNone && look(waits, edge >> 16) == 1;
            while (true) {
                const bool ready = edge != kNone && look(s.state, edge & 0xFFFFU) != SmallState::open;
                if (__any_sync(kWholeWarp, ready)) {
                    if (ready) static_cast<void>(decide(s, waits, edge, alone));
                    if (ready) edge = kNone;
                    __syncwarp();
                } else if (!__any_sync(kWholeWarp, edge != kNone)) {
                    return;
                }
            }
        }
        for (bool again = true; again;) {
            again = false;
            for (std::uint32_t e = lane; e < count; e += 32) {
                const std::uint32_t edge = ours[e];
                if (edge == kNone) continue;
                if (decide(s, waits, edge, false)) {
                    ours[e] = kNone;
                } else {
                    again = true;
                }
            }
        }
    }
    // Whether an edge is done with. alone: the suppressed one waits for no other.
    __device__ __forceinline__ static bool decide(Shared& s, std::uint32_t* waits, std::uint32_t edge, bool alone) {
        const std::uint32_t seen = look(s.state, edge & 0xFFFFU);
        if (seen == SmallState::open) return false;
        const std::uint32_t i = edge >> 16;
        if (seen == SmallState::stays) {
            tell(s.state, i, SmallState::lost);
        } else if (alone || atomicSub(waits + i, 1U) == 1) {
            tell(s.state, i, SmallState::stays);
        }
        return true;
    }

    // The same by the rows of the matrix, where there are too many edges: a lane has one of a word, and goes along all
    // words. shared.open: of each word who is open, and who stays. Out of line, and so without the address of what
    // should stay in registers.
    template <std::uint32_t kWarps>
    __device__ __noinline__ static void look_at_rows(Shared& shared, const std::uint32_t* d_matrix,
                                                     std::uint32_t words) {
        Shared& s = hold_address(&shared);
        const std::uint32_t lane = threadIdx.x % 32;
        for (bool again = true; again;) {
            again = false;
            for (std::uint32_t w = threadIdx.x / 32; w < words; w += kWarps) {
                const uint2 own = look_at_two(s.open + w);
                if (own.x == 0) continue;
                const bool asks = (own.x >> lane & 1U) != 0;
                const std::uint32_t* row = d_matrix + w * 32 + lane;
                std::uint32_t by_open = 0;
                std::uint32_t by_kept = 0;
#pragma unroll 8
                for (std::uint32_t v = 0; v < words; ++v) {
                    const std::uint32_t bits = asks ? __ldcg(row + v * kMost) : 0;
                    const uint2 known = look_at_two(s.open + v);
                    by_open |= bits & known.x;
                    by_kept |= bits & known.y;
                }
                const std::uint32_t lost = __ballot_sync(kWholeWarp, by_kept != 0);
                const std::uint32_t stays = __ballot_sync(kWholeWarp, asks && (by_kept | by_open) == 0);
                const std::uint32_t left = own.x & ~(lost | stays);
                if (lane == 0 && left != own.x) tell(s.open + w, make_uint2(left, own.y | stays));
                again = again || left != 0;
                __syncwarp();
            }
        }
        for (std::uint32_t w = threadIdx.x / 32; w < words; w += kWarps)
            s.state[w * 32 + lane] = (s.open[w].y >> lane & 1U) != 0 ? SmallState::stays : SmallState::lost;
    }
};

}  // namespace throng::gpu
