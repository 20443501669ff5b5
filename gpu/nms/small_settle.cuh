// Greedy: decides those that the step before left open. Every block does it for itself.
#pragma once

#include <cstdint>

#include "gpu/nms/small_edges.cuh"
#include "gpu/nms/small_many.cuh"

namespace throng::gpu {

// All open ones are numbered, and who suppresses whom of them is put into rows of bits, if it is not yet. kMost:
// detections.
template <std::uint32_t kMost>
struct SmallSettle {
    static constexpr std::uint32_t kMaxWords = kMost / 32;
    static constexpr std::uint32_t kMaxOpen = most_open(kMost);  // for which there are rows of bits
    struct Shared {
        union {
            // Open ones by number: bit k of [w][i]: number 32 w + k suppresses i.
            alignas(16) std::uint32_t rows[kMaxOpen / 32][kMaxOpen];
            // Where there are more: suppressed << 16 | its suppressor, open ones.
            std::uint32_t edges[most_waiting(kMost)];
        };
        uint2 open[kMaxWords];        // bits by index, and the number of the first
        std::uint16_t who[kMaxOpen];  // by number: index
        std::uint32_t numbers;        // that have been given,
        std::uint32_t taken;          // and edges that wait
        struct {
            alignas(16) uint2 by_number[kMaxOpen / 32];  // bits: who is lost, and who stays
            std::uint32_t staying[kMaxWords];            // bits by index, of the open ones
        } decided;
        std::uint32_t state[kMost];  // a SmallState each; by atomics as long as some are open
    };
    Shared& s;
    std::uint32_t* waits;  // [kMost] of shared memory that nothing else uses until then: for how many open ones each
                           // still waits

    // Before the threads next meet.
    __device__ __forceinline__ void prepare() const {
        if (threadIdx.x == 0) s.numbers = s.taken = 0;
        constexpr std::uint32_t kWords = sizeof(s.decided) / sizeof(std::uint32_t);
        if (threadIdx.x < kWords) reinterpret_cast<std::uint32_t*>(&s.decided)[threadIdx.x] = 0;
    }

    // kept: bits of the warp's words. Calls meanwhile() once, after which the threads meet.
    template <std::uint32_t kWarps, std::uint32_t kEach, typename Meanwhile>
    __device__ __forceinline__ void run(const SmallNmsScratch& scratch, std::uint32_t words,
                                        std::uint32_t (&kept)[kEach], const Meanwhile& meanwhile) const {
        EdgeLists<kWarps, kEach> lists;
        lists.load(scratch.edges, words);
        clear<kWarps * 32>();  // while that comes
        lists.read_heads();
        std::uint32_t first[kEach];  // numbers
        number(lists, first);
        __syncthreads();
        const std::uint32_t open = s.numbers;
        if (open <= kMaxOpen) {
            decide_by_rows(scratch, lists, first, open, meanwhile);
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) kept[k] = lists.stays[k] | s.decided.staying[lists.word(k)];
        } else {
            meanwhile();
            decide_many<kWarps>(scratch, words, kept);
        }
    }
    // The same where the open ones have numbers and rows already: see SmallNumbers.
    template <std::uint32_t kWarps, std::uint32_t kEach, typename Meanwhile>
    __device__ __forceinline__ void run_with_rows(const SmallNmsScratch& scratch, std::uint32_t words,
                                                  std::uint32_t (&kept)[kEach], const Meanwhile& meanwhile) const {
        const std::uint32_t warp = threadIdx.x / 32;
        const auto* head = reinterpret_cast<const ListHead*>(scratch.edges + warp * SmallNmsScratch::kSegment);
        const std::uint32_t numbers = load_now(warp < words, &head->numbers, 0);  // where there is none, none are open
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            kept[k] = load_now(warp + k * kWarps < words, &head->stays, 0);
            head += kWarps * (SmallNmsScratch::kSegment / SmallNmsScratch::kHead);
        }
        Row<kMaxOpen / 32> row;
#pragma unroll
        for (std::uint32_t w = 0; w < kMaxOpen / 32; w += 4) {
            const auto* at = reinterpret_cast<const uint4*>(scratch.rows) + w / 4 * kMaxOpen + threadIdx.x;
            const uint4 v = load_now(threadIdx.x < kMaxOpen, at);
            row.words[w] = v.x;
            row.words[w + 1] = v.y;
            row.words[w + 2] = v.z;
            row.words[w + 3] = v.w;
        }
        row.who = load_now(threadIdx.x < kMaxOpen, scratch.who + threadIdx.x, 0);
        meanwhile();
        const std::uint32_t open = numbers / ListHead::kAll;
        const bool many = open > kMaxOpen;
        if (!many && warp < words_for(open)) watch<4>(open, row);
        if (__syncthreads_or(many ? 1 : 0) != 0) return decide_many<kWarps>(scratch, words, kept);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) kept[k] |= s.decided.staying[warp + k * kWarps];
    }

private:
    // Of an open one.
    template <std::uint32_t kWords>
    struct Row {
        std::uint32_t words[kWords];  // bits by number: who suppresses it
        std::uint32_t who;            // index
    };

    template <std::uint32_t kWarps, std::uint32_t kEach>
    __device__ __forceinline__ void decide_many(const SmallNmsScratch& scratch, std::uint32_t words,
                                                std::uint32_t (&kept)[kEach]) const {
        SmallMany<kMost, Shared>::template decide<kWarps, kEach>(s, waits, scratch.edges, scratch.matrix, words);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            kept[k] = __ballot_sync(kWholeWarp, s.state[threadIdx.x + k * (kWarps * 32)] == SmallState::stays);
    }

    template <std::uint32_t kThreads>
    __device__ __forceinline__ void clear() const {
        constexpr std::uint32_t kCount = sizeof(s.rows) / sizeof(uint4);
#pragma unroll
        for (std::uint32_t k = threadIdx.x; k < kCount; k += kThreads) reinterpret_cast<uint4*>(s.rows)[k] = uint4{};
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
        if (lane == 0) at = atomicAdd(&s.numbers, cut ? kMaxOpen + 1 : all);
        at = __shfl_sync(kWholeWarp, at, 0);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            first[k] += at;
            const std::uint32_t word = ListsOfWarp::word(k);
            if (lane == 0) s.open[word] = make_uint2(lists.open[k], first[k]);
            const std::uint32_t its = first[k] + __popc(lists.open[k] & lowest_bits(lane));
            if ((lists.open[k] >> lane & 1U) != 0 && its < kMaxOpen)
                s.who[its] = static_cast<std::uint16_t>(word * 32 + lane);
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
        if (warp < words_for(open)) {
            Row<kMaxOpen / 32> row;
#pragma unroll
            for (std::uint32_t w = 0; w < kMaxOpen / 32; ++w) row.words[w] = s.rows[w][threadIdx.x];
            row.who = s.who[threadIdx.x];
            watch<4>(open, row);
        }
        __syncthreads();
    }
    // A warp's share. kWords: of a row, if so many are enough.
    template <std::uint32_t kWords>
    __device__ __forceinline__ void watch(std::uint32_t open, const Row<kMaxOpen / 32>& row) const {
        static_assert(kWords % 2 == 0 && kMaxOpen % 32 == 0);
        if constexpr (kWords * 32 < kMaxOpen) {
            if (open > kWords * 32) return watch<kWords + 4>(open, row);
        }
        const std::uint32_t first = threadIdx.x / 32 * 32;
        std::uint32_t waiting = lowest_bits(open - first);  // bits, as all that follow: not predicates, which take long
        uint2 told = make_uint2(0, 0);
        while (waiting != 0) {
            std::uint32_t by_kept[2] = {};  // of two words each: shorter chains
            std::uint32_t by_others[2] = {};
#pragma unroll
            for (std::uint32_t w = 0; w < kWords; w += 2) {
                const uint4 known = look_at_four(s.decided.by_number + w);
                by_kept[0] |= row.words[w] & known.y;
                by_kept[1] |= row.words[w + 1] & known.w;
                by_others[0] |= row.words[w] & ~known.x;
                by_others[1] |= row.words[w + 1] & ~known.z;
            }
            const std::uint32_t lost = __ballot_sync(kWholeWarp, (by_kept[0] | by_kept[1]) != 0) & waiting;
            const std::uint32_t stays = __ballot_sync(kWholeWarp, (by_others[0] | by_others[1]) == 0) & waiting;
            told = make_uint2(told.x | lost, told.y | stays);
            if ((lost | stays) != 0 && threadIdx.x == first) tell(s.decided.by_number + first / 32, told);
            waiting &= ~(lost | stays);
        }
        if ((told.y >> threadIdx.x % 32 & 1U) != 0) atomicOr(&s.decided.staying[row.who / 32], 1U << row.who % 32);
    }
};

}  // namespace throng::gpu
