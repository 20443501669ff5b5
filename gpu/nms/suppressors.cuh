// Searches for the suppressors of a record in a BoxGrid.
#pragma once

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/grid_nms.h"

namespace throng::gpu {

// All suppressors of each detection, found by one search, so that few need a second.
struct SuppressorLists {
    static constexpr std::uint32_t kRoom = 64;

    SuppressorHead* heads;   // [capacity] by record; a list is truncated where the count is above kRoom
    std::uint32_t* entries;  // [capacity * kRoom] records in any order, some perhaps twice
};

// Decides nearly all pairs without a division, where overlaps alone decide: I / (A + B - I) reaches the threshold t
// when I reaches (tA + tB) / (1 + t). Rounding is far below the 1e-5 by which the threshold is moved, or, where areas
// are tiny, below the 1e-35 and 1e-30 that are added.
struct QuickRule {
    float low, high;          // times the suppressor's area, and
    float low_own, high_own;  // times the area of the one that it may suppress
    bool smaller;             // the suppressor's area is limited to the other's
    bool decides;             // otherwise pairs are only ruled out
};
inline QuickRule make_quick_rule(const NmsRuleSet& rules) {
    const bool iou = rules.overlap == Overlap::iou;
    const float share = iou ? rules.theta / (1.0F + rules.theta) : rules.theta;
    const float low = share * 0.99999F;
    const float high = share * 1.00001F;
    return {low, high, iou ? low : 0.0F, iou ? high : 0.0F, rules.overlap == Overlap::min, rules.theta > 1e-6F};
}

// The same for one detection that may be suppressed.
class QuickTest {
public:
    __device__ __forceinline__ QuickTest(const QuickRule& rule, const SearchPlan& plan, float area)
        : low_(rule.low), high_(rule.high), low_own_(rule.low_own * area - 1e-35F) {
        // Where edges are rounded, or sums of areas may be infinite, pairs are only ruled out.
        constexpr int kLargest = 48 - kLowestExponent;  // level
        const bool decides = rule.decides && plan.coarse == 0 && plan.highest <= kLargest;
        high_own_ = decides ? rule.high_own * area + 1e-30F : INFINITY;
        most_ = rule.smaller ? area : INFINITY;
    }
    [[nodiscard]] __device__ __forceinline__ bool may_suppress(float intersection, float area) const {
        return !(intersection < __fmaf_rn(fminf(area, most_), low_, low_own_));
    }
    [[nodiscard]] __device__ __forceinline__ bool surely_suppresses(float intersection, float area) const {
        return intersection > __fmaf_rn(fminf(area, most_), high_, high_own_);
    }

private:
    float low_, high_, low_own_, high_own_, most_;
};

// One of several records; the lanes of a group find the first in order.
struct Choice {
    std::uint32_t record = kNone;  // kNone: no choice
    float score = -INFINITY;

    // Takes another record if it precedes this one. kNone is no record.
    __device__ __forceinline__ void offer(const BoxGrid& g, const DetectionSpan& raw, std::uint32_t other,
                                          float other_score) {
        if (other == kNone || other == record || other_score < score) return;
        if (record != kNone && other_score == score &&
            !precedes_at_equal_scores(raw.boxes, score, g.records[other].index, g.records[record].index))
            return;
        record = other;
        score = other_score;
    }
    // The first of all lanes of a group, on each of them. For whole warps.
    template <int kLanes>
    __device__ __forceinline__ void reduce(const BoxGrid& g, const DetectionSpan& raw) {
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) {
            const std::uint32_t other = __shfl_xor_sync(kWholeWarp, record, step);
            const float other_score = __shfl_xor_sync(kWholeWarp, score, step);
            offer(g, raw, other, other_score);
        }
    }
};

// Returns the first of the suppressors of `mine`, record r, that accept(record) admits, on all lanes of the group;
// kNone if there is none. kAll: accept is called for all suppressors, otherwise only for those that precede the ones
// admitted so far. For whole warps.
template <PairPath path, int kLanes, bool kAll, class Accept>
__device__ __forceinline__ std::uint32_t first_suppressor(const BoxGrid& g, const NmsTask& task,
                                                          const NmsRuleSet& rules, const QuickRule& quick_rule,
                                                          const SearchPlan& plan, const Group<kLanes>& group,
                                                          bool active, std::uint32_t r, const GridRecord& mine,
                                                          TestCounter& counter, Accept&& accept) {
    Choice first;
    const QuickTest quick(quick_rule, plan, mine.area);
    for_each_near(g, plan, group, active, mine, rules.extent, [&](std::uint32_t other) {
        const GridRecord theirs = load_record(g, other);
        if (theirs.score < mine.score || (!kAll && theirs.score < first.score)) return;
        ++counter.tests;
        if constexpr (path == PairPath::plain) {
            const float intersection = record_intersection(mine, theirs, rules.extent);
            if (!quick.may_suppress(intersection, theirs.area)) return;
            const bool sure = quick.surely_suppresses(intersection, theirs.area) && theirs.score > mine.score;
            if (!sure && (other == r || !record_precedes(task.raw, theirs, mine) ||
                          !record_suppresses<path>(rules, task.raw, mine, theirs)))
                return;
        } else {
            if (other == r || !record_precedes(task.raw, theirs, mine) ||
                !record_suppresses<path>(rules, task.raw, mine, theirs))
                return;
        }
        if (accept(other)) first.offer(g, task.raw, other, theirs.score);
    });
    first.reduce<kLanes>(g, task.raw);
    return first.record;
}

}  // namespace throng::gpu
