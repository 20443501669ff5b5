// Detections in the shared memory of a block, and who of 32 of them suppresses another.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_entry.cuh"
#include "gpu/nms/pair_halves.cuh"

namespace throng::gpu {

// Detections as pair tests need them, in shared memory. Those that are not valid have the edges of no_entry().
struct PairColumns {
    float4* edges;  // as in Entry
    float* area;
    float* score;  // has one 0 only: differences of scores are told by their signs

    __device__ __forceinline__ void store(std::uint32_t place, const Entry& e) const {
        edges[place] = e.edges;
        area[place] = e.area;
        score[place] = e.score + 0.0F;
    }
    [[nodiscard]] __device__ __forceinline__ Entry load(std::uint32_t place, std::uint32_t index) const {
        return {edges[place], area[place], score[place], index};
    }
};

// Calls visit(place, bit, over, under) for the set bits of `rest`, two at once and without a branch: the one of bit k
// is at the place first + k. `bit` is 0 where the visit is for nothing.
template <typename Visit>
__device__ __forceinline__ void for_each_plain(const PairColumns& columns, float theta, const Entry& mine,
                                               std::uint32_t first, std::uint32_t rest, const Visit& visit) {
#pragma unroll 1
    while (rest != 0) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const std::uint32_t bit = rest & (0U - rest);
            const std::uint32_t j = first + (__clz(static_cast<int>(__brev(bit))) & 31);
            rest ^= bit;
            const PlainOverlap overlap(theta, mine.edges, mine.area, columns.edges[j], columns.area[j]);
            visit(j, bit, overlap.over, overlap.under);
        }
    }
}

// A bit for each of the 32 at the places from `first` on that suppresses `mine`; their indices begin at first_index.
// plain: as in PairPlan. First the halves tell which may; a lane has few of those.
template <bool plain>
__device__ __forceinline__ std::uint32_t suppressors_of(const PairColumns& columns, const PairHalves& halves,
                                                        const PairRules& pairs, const Entry& mine, std::uint32_t first,
                                                        std::uint32_t first_index) {
    std::uint32_t rest = halves.meeting_above(first, narrow_edges(mine.edges, pairs.plan.least_share), mine.score);
    if (mine.index - first_index < 32) rest &= ~(1U << (mine.index - first_index));
    std::uint32_t found = 0;
    if constexpr (plain) {
        std::uint32_t close = 0;  // not certain: later
        for_each_plain(columns, pairs.rules.theta, mine, first, rest,
                       [&](std::uint32_t j, std::uint32_t bit, bool over, bool under) {
                           const float score = columns.score[j];
                           if (over && score > mine.score) found |= bit;
                           const bool tie = score == mine.score;
                           if (!under && (!over || tie) && score >= mine.score) close |= bit;
                       });
        rest = close;
    }
#pragma unroll 1
    for (; rest != 0; rest &= rest - 1) {
        const std::uint32_t j = __ffs(static_cast<int>(rest)) - 1;
        const Entry other = columns.load(first + j, first_index + j);
        if (!ahead(pairs.raw.boxes, other.score, other.index, mine.score, mine.index)) continue;
        if (entry_suppresses(pairs, mine, other)) found |= 1U << j;
    }
    return found;
}

}  // namespace throng::gpu
