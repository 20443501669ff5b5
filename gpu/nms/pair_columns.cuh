// Detections in the shared memory of a block, and who of 32 of them suppresses another.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_entry.cuh"
#include "gpu/nms/pair_halves.cuh"

namespace throng::gpu {

// Detections as pair tests need them, in shared memory. Those that are not valid have the edges of no_entry().
struct PairColumns {
    float4* edges;  // as in Entry
    float2* more;   // area and score, which has one 0 only

    // plain: as in PairPlan. The area is NaN then where it tells little: very small, large or of rounded edges.
    __device__ __forceinline__ void store(std::uint32_t place, const Entry& e, bool plain) const {
        const float between = (e.edges.z - e.edges.x) * (e.edges.w - e.edges.y);
        const bool regular = fabsf(between - e.area) <= 0.01F * e.area && e.area > 1e-25F && e.area < 1e30F;
        edges[place] = e.edges;
        more[place] = make_float2(regular || !plain ? e.area : __int_as_float(0x7FFFFFFF), e.score + 0.0F);
    }
    [[nodiscard]] __device__ __forceinline__ Entry load(std::uint32_t place, std::uint32_t index) const {
        const float2 m = more[place];
        return {edges[place], m.x, m.y, index};
    }

    // Of the one at a place, under a plain plan: the overlap certainly reaches the threshold if over > sum, and does
    // not if under < sum.
    struct Test {
        float over;
        float under;
        float sum;
        float score;
    };
    [[nodiscard]] __device__ __forceinline__ Test test(const PairPlan& plan, const Entry& mine,
                                                       std::uint32_t place) const {
        const float4 its = edges[place];
        const float2 m = more[place];
        const float width = fmaxf(fminf(mine.edges.z, its.z) - fmaxf(mine.edges.x, its.x), 0.0F);
        const float height = fminf(mine.edges.w, its.w) - fmaxf(mine.edges.y, its.y);
        const float intersection = width * height;  // or less than 0
        return {intersection * plan.over_gain, intersection * plan.under_gain, mine.area + m.x, m.y};
    }
};

// Calls visit(place, bit, score, over, under) for the set bits of `rest`, without a branch, kAtOnce at a time: the one
// of bit k is at the place first + k. over, under: certainly reaches the threshold of a plain plan, or does not.
// `bit` is 0 where the visit is for nothing.
template <int kAtOnce, typename Visit>
__device__ __forceinline__ void for_each_plain(const PairColumns& columns, const PairPlan& plan, const Entry& mine,
                                               std::uint32_t first, std::uint32_t rest, const Visit& visit) {
#pragma unroll 1
    while (rest != 0) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            const std::uint32_t bit = rest & (0U - rest);
            const std::uint32_t j = first + (__clz(static_cast<int>(__brev(bit))) & 31);
            rest ^= bit;
            const PairColumns::Test test = columns.test(plan, mine, j);
            visit(j, bit, test.score, test.over > test.sum, test.under < test.sum);
        }
    }
}

// A bit for each of the 32 at the places from `first` on that suppresses `mine`; their indices begin at first_index.
// plain: as in PairPlan. First the halves tell which may; a lane has few of those.
template <bool plain>
__device__ __forceinline__ std::uint32_t suppressors_of(const PairColumns& columns, const PairHalves& halves,
                                                        const PairRules& pairs, const Entry& mine, std::uint32_t first,
                                                        std::uint32_t first_index) {
    const PairHalves::Reach reach(narrow_edges(mine.edges, pairs.plan.least_share), mine.score);
    std::uint32_t rest = halves.near<true>(first, reach);
    if (mine.index - first_index < 32) rest &= ~(1U << (mine.index - first_index));
    std::uint32_t found = 0;
    if constexpr (plain) {
        std::uint32_t close = 0;  // not certain: later
        for_each_plain<2>(columns, pairs.plan, mine, first, rest,
                          [&](std::uint32_t, std::uint32_t bit, float score, bool over, bool under) {
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
