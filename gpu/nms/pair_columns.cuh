// Who of 32 detections in shared memory suppresses another.
#pragma once

#include <cstdint>

#include "gpu/nms/small_entries.cuh"

namespace throng::gpu {

// Detections as pair tests need them, in shared memory. Those that are not valid have the edges of small::no_entry().
struct PairColumns {
    float4* edges;  // as in small::Entry
    float* area;
    float* score;  // has one 0 only: differences of scores are told by their signs

    __device__ __forceinline__ void store(std::uint32_t place, const small::Entry& e) const {
        edges[place] = e.edges;
        area[place] = e.area;
        score[place] = e.score + 0.0F;
    }
    [[nodiscard]] __device__ __forceinline__ small::Entry load(std::uint32_t place, std::uint32_t index) const {
        return {edges[place], area[place], score[place], index};
    }
};

// A bit for each of the 32 at the places from `first` on that suppresses `mine`; their indices begin at first_index.
// plain: as in PairPlan. First the signs of differences tell which may; a lane has few of
// those.
template <bool plain>
__device__ __forceinline__ std::uint32_t suppressors_of(const PairColumns& columns, const small::PairRules& pairs,
                                                        const small::Entry& mine, std::uint32_t first,
                                                        std::uint32_t first_index) {
    const float4 reach = small::narrow_edges(mine.edges, pairs.plan.least_share);
    std::uint32_t apart = 0;  // the j-th of them in bit 31 - j: too far away, or of a lower score
#pragma unroll
    for (std::uint32_t j = 0; j < 32; ++j) {
        const float4 e = columns.edges[first + j];
        const std::uint32_t signs = __float_as_uint(reach.z - e.x) | __float_as_uint(e.z - reach.x) |
                                    __float_as_uint(reach.w - e.y) | __float_as_uint(e.w - reach.y) |
                                    __float_as_uint(columns.score[first + j] - mine.score);
        apart = __funnelshift_l(signs, apart, 1);
    }
    std::uint32_t rest = __brev(~apart);
    if (mine.index - first_index < 32) rest &= ~(1U << (mine.index - first_index));
    std::uint32_t found = 0;
    if constexpr (plain) {
        // Two at once, without a branch; what is not certain later.
        std::uint32_t close = 0;
#pragma unroll 1
        while (rest != 0) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                const std::uint32_t bit = rest & (0U - rest);  // 0 where none is left: the test is for nothing
                const std::uint32_t j = first + (__clz(static_cast<int>(__brev(bit))) & 31);
                rest ^= bit;
                const float4 e = columns.edges[j];
                const float width = fminf(mine.edges.z, e.z) - fmaxf(mine.edges.x, e.x);
                const float height = fminf(mine.edges.w, e.w) - fmaxf(mine.edges.y, e.y);
                const float intersection = fmaxf(width, 0.0F) * fmaxf(height, 0.0F);
                const float limit = pairs.rules.theta * ((mine.area + columns.area[j]) - intersection);
                // As in reaches().
                const bool clear = limit > 1e-30F && limit < 1e30F && columns.score[j] > mine.score;
                const bool over = clear && intersection > limit * 1.000001F;
                const bool under = clear && intersection < limit * 0.999999F;
                if (over) found |= bit;
                if (!over && !under) close |= bit;
            }
        }
        rest = close;
    }
#pragma unroll 1
    for (; rest != 0; rest &= rest - 1) {
        const std::uint32_t j = __ffs(static_cast<int>(rest)) - 1;
        const small::Entry other = columns.load(first + j, first_index + j);
        if (other.score == mine.score &&
            !precedes_at_equal_scores(pairs.raw.boxes, other.score, other.index, mine.index))
            continue;
        if (small::entry_suppresses(pairs, mine, other)) found |= 1U << j;
    }
    return found;
}

}  // namespace throng::gpu
