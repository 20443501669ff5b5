// What is known of those that suppress a detection: tests of pairs, the first of all, lists.
#pragma once

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/large_nms.h"

namespace throng::gpu {

// All that suppress each detection, as one search leaves them, so that hardly any needs a second.
struct SuppressorLists {
    static constexpr std::uint32_t kRoom = 64;

    SuppressorHead* heads;   // [capacity] by record; a list is cut where the count is above kRoom
    std::uint32_t* entries;  // [capacity * kRoom] records in any order, some perhaps twice
};

// Whether record j suppresses record i, whose score is not higher: any rule, from the raw detections. Out of line:
// rare.
static __device__ __noinline__ bool suppresses_exactly(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                       const GridRecord* records, std::uint32_t i, std::uint32_t j) {
    if (i == j) return false;
    const std::uint32_t index_i = records[i].index;
    const std::uint32_t index_j = records[j].index;
    const Candidate mine{load_box(raw.boxes, index_i), raw.scores[index_i], index_i};
    const Candidate theirs{load_box(raw.boxes, index_j), raw.scores[index_j], index_j};
    return precedes(theirs, mine) && suppresses<PairPath::any>(rules, raw, mine, theirs);
}

// Tells nearly all pairs without a division, where overlaps alone decide: I / (A + B - I) reaches the threshold t when
// I reaches (tA + tB) / (1 + t). Rounding is far below the 1e-5 that the threshold is moved by, or, where areas are
// tiny, below the 1e-35 and 1e-30 that are added. This is what the rule gives; kernels read it from their parameters.
struct QuickRule {
    float low, high;          // times the suppressor's area, and
    float low_own, high_own;  // times the area of the one that it may suppress
    bool smaller;             // the suppressor's area is at most the other's
    bool decides;             // else pairs are at most ruled out
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
        : QuickTest(rule, rule.low, rule.high, plan, area) {}
    // low, high: those of the rule.
    __device__ __forceinline__ QuickTest(const QuickRule& rule, float low, float high, const SearchPlan& plan,
                                         float area)
        : low_(low), high_(high) {
        // Where edges are rounded, or sums of areas may be infinite, pairs are at most ruled out.
        constexpr int kLargest = 48 - kLowestExponent;  // level
        const bool decides = rule.decides && plan.coarse == 0 && plan.highest <= kLargest;
        low_own_ = rule.low_own * area - 1e-35F;
        high_own_ = decides ? rule.high_own * area + 1e-30F : INFINITY;
        most_ = rule.smaller ? area : INFINITY;
        // Not to be computed again wherever they are used.
        asm volatile("" : "+f"(low_own_), "+f"(high_own_), "+f"(most_));
    }
    // With a detection of that area: suppresses surely where the intersection is above high, and surely not where it is
    // below low.
    struct Limits {
        float low, high;
    };
    [[nodiscard]] __device__ __forceinline__ Limits limits(float area) const {
        const float its = fminf(area, most_);
        return {__fmaf_rn(its, low_, low_own_), __fmaf_rn(its, high_, high_own_)};
    }
    [[nodiscard]] __device__ __forceinline__ bool may_suppress(float intersection, float area) const {
        return !(intersection < limits(area).low);
    }

private:
    float low_, high_, low_own_, high_own_, most_;
};

// The first, for the group, of those that suppress `mine`, record r, and that accept(record) lets pass; or kNone.
// For whole warps.
template <PairPath path, int kLanes, class Accept>
__device__ __forceinline__ std::uint32_t first_suppressor(const BoxGrid& g, const NmsTask& task,
                                                          const NmsRuleSet& rules, const QuickRule& quick_rule,
                                                          const SearchPlan& plan, const Group<kLanes>& group,
                                                          bool active, std::uint32_t r, const GridRecord& mine,
                                                          TestCounter& counter, Accept&& accept) {
    std::uint32_t best = kNone;
    float bar = mine.score;  // of the best, then
    const QuickTest quick(quick_rule, plan, mine.area);
    for_each_near(g, plan, group, active, mine, rules.extent, [&](std::uint32_t other) {
        const GridRecord theirs = load_record(g, other);
        if (theirs.score < bar) return;
        ++counter.tests;
        if constexpr (path == PairPath::plain) {
            if (!quick.may_suppress(record_intersection(mine, theirs, rules.extent), theirs.area)) return;
        }
        if (other == r || other == best || !record_suppresses<path>(rules, task.raw, mine, theirs)) return;
        if (theirs.score == bar && !record_precedes(task.raw, theirs, best == kNone ? mine : load_record(g, best)))
            return;
        if (!accept(other)) return;
        best = other;
        bar = theirs.score;
    });
    for (int step = kLanes / 2; step > 0; step /= 2) {
        const std::uint32_t other = __shfl_xor_sync(kWholeWarp, best, step);
        const float score = __shfl_xor_sync(kWholeWarp, bar, step);
        if (other == kNone || other == best) continue;
        if (best == kNone || score > bar ||
            (score == bar && record_precedes(task.raw, load_record(g, other), load_record(g, best)))) {
            best = other;
            bar = score;
        }
    }
    return best;
}

// One of a list.
struct Choice {
    std::uint32_t record = kNone;  // kNone: no choice
    float score = -INFINITY;
    std::uint32_t state = 0;  // as it was when it was looked at
};

__device__ __forceinline__ bool comes_first(const BoxGrid& g, const DetectionSpan& raw, const Choice& a,
                                            const Choice& b) {
    if (a.record == kNone || b.record == kNone) return b.record == kNone;
    if (a.score != b.score) return a.score > b.score;
    return precedes_at_equal_scores(raw.boxes, a.score, g.records[a.record].index, g.records[b.record].index);
}

// Of each group the lane whose choice precedes the others, or -1. For whole warps.
template <int kLanes>
__device__ __forceinline__ int first_lane(const BoxGrid& g, const DetectionSpan& raw, const Group<kLanes>& group,
                                          Choice mine) {
    const bool is_one = mine.record != kNone;
    float top = mine.score;
    if constexpr (kLanes == 32) {
        const std::uint32_t key = is_one ? score_key(top) : kInvalidKey;
        top = score_of_key(warp_max(key));
    } else {
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(kWholeWarp, top, step));
    }
    const bool holds = is_one && mine.score == top;
    std::uint32_t holders = __ballot_sync(kWholeWarp, holds) & group.mask();
    if (__any_sync(kWholeWarp, (holders & (holders - 1)) != 0)) {  // rare
        Choice first = holds ? mine : Choice{};
#pragma unroll 1
        for (int step = kLanes / 2; step > 0; step /= 2) {
            const Choice other{__shfl_xor_sync(kWholeWarp, first.record, step),
                               __shfl_xor_sync(kWholeWarp, first.score, step)};
            if (other.record != first.record && comes_first(g, raw, other, first)) first = other;
        }
        holders = __ballot_sync(kWholeWarp, holds && mine.record == first.record) & group.mask();
    }
    return __ffs(static_cast<int>(holders)) - 1;
}

}  // namespace throng::gpu
