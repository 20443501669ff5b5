// Searches for the suppressors of a record in a BoxGrid.
#pragma once

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/grid_nms.h"
#include "gpu/nms/pair_margin.h"

namespace throng::gpu {

// One of several records; the lanes of a group find the first in order.
struct Choice {
    std::uint32_t record = kNone;  // kNone: no choice
    float score = -INFINITY;

    // Takes another record if it precedes this one. kNone is no record.
    __device__ __forceinline__ void offer(const BoxGrid& g, const NmsTask& task, std::uint32_t other,
                                          float other_score) {
        if (other == kNone || other == record || other_score < score) return;
        if (record != kNone && other_score == score &&
            !precedes_at_equal_scores(task, score, g.records[other].index, g.records[record].index))
            return;
        record = other;
        score = other_score;
    }
    // The first of all lanes of a group, on each of them. For whole warps.
    template <int kLanes>
    __device__ __forceinline__ void reduce(const BoxGrid& g, const NmsTask& task) {
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) {
            const std::uint32_t other = __shfl_xor_sync(kWholeWarp, record, step);
            const float other_score = __shfl_xor_sync(kWholeWarp, score, step);
            offer(g, task, other, other_score);
        }
    }
};

// Returns the first of the suppressors of `mine`, record r, that accept(record) admits, on all lanes of the group;
// kNone if there is none. kAll: accept is called for all suppressors, otherwise only for those that precede the ones
// admitted so far. For whole warps.
template <PairPath path, int kLanes, bool kAll, class Accept>
__device__ __forceinline__ std::uint32_t first_suppressor(const BoxGrid& g, const NmsTask& task,
                                                          const NmsRuleSet& rules, const PairMarginRule& margins,
                                                          const SearchPlan& plan, const Group<kLanes>& group,
                                                          bool active, std::uint32_t r, const GridRecord& mine,
                                                          TestCounter& counter, Accept&& accept) {
    Choice first;
    // Margins need boxes that are not coarse. What they leave uncertain is tested exactly.
    const float share = margins.factor * mine.area;
    const float tolerance = plan.coarse == 0 ? margins.tolerance * share : INFINITY;
    for_each_near(g, plan, group, active, mine, rules.extent, [&](std::uint32_t other) {
        const GridRecord theirs = g.records[other];
        if (theirs.score < mine.score || (!kAll && theirs.score < first.score)) return;
        ++counter.tests;
        if (path != PairPath::plain && theirs.group != mine.group) return;
        bool sure = false;
        if constexpr (path != PairPath::any) {
            const float margin = record_intersection(mine, theirs, rules.extent) -
                                 needed_share(rules.overlap, share, margins.factor * theirs.area);
            if (margin < -tolerance) return;
            sure = theirs.score > mine.score && margin > tolerance;
        }
        if (!sure && (other == r || !record_precedes(task, theirs, mine) ||
                      !record_suppresses<path>(rules, task.raw, mine, theirs)))
            return;
        if (path == PairPath::gated && !gate_admits(rules.gate, theirs.index, mine.index)) return;
        if (accept(other)) first.offer(g, task, other, theirs.score);
    });
    first.reduce<kLanes>(g, task);
    return first.record;
}

}  // namespace throng::gpu
