// A detection as the kernels that test all pairs hold it, and how they test a pair.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

// How pairs are tested under a rule.
struct PairPlan {
    bool quick;         // edges and areas alone decide nearly all pairs
    bool plain;         // quick, and the most frequent of rules: IoU, total order
    float least_share;  // of its width and of its height that a box shares with all that suppress it or that it does;
                        // or 0
    float over_gain;    // plain: an intersection times this above the sum of the areas reaches the threshold,
    float under_gain;   // times this below the sum does not
};

inline PairPlan make_pair_plan(const NmsRuleSet& rules) {
    PairPlan plan{};
    plan.quick = rules.pair == PairRule::overlap && !rules.disjoint && rules.extent == 0.0F && rules.theta > 1e-30F;
    // The intersection is no larger than the share of a side, and the union no smaller than either box. Some less than
    // theta, for rounding.
    plan.least_share = plan.quick && rules.overlap == Overlap::iou && rules.theta > 0.1F ? rules.theta * 0.998F : 0;
    plan.plain = plan.quick && rules.overlap == Overlap::iou && rules.ties == Ties::total;
    // I / (A + B - I) reaches t when I (1 + t) / t reaches A + B. Rounding moves either by less than 6e-7.
    const double gain = plan.plain ? (1.0 + double{rules.theta}) / double{rules.theta} : 0.0;
    plan.over_gain = static_cast<float>(gain * (1.0 - 2e-6));
    plan.under_gain = static_cast<float>(gain * (1.0 + 2e-6));
    return plan;
}

// What every kernel here is told of the rule.
struct PairRules {
    const NmsRuleSet& rules;
    const DetectionSpan& raw;
    PairPlan plan;
};

// A detection as pair tests need it.
struct Entry {
    float4 edges;  // left, top, right, bottom: boxes that do not meet do not suppress. No box meets no_entry().
    float area;    // box_area
    float score;
    std::uint32_t index;  // in the raw buffer

    [[nodiscard]] __device__ __forceinline__ bool valid() const { return edges.x < INFINITY; }
};

__device__ __forceinline__ Entry no_entry() {
    return {make_float4(INFINITY, INFINITY, -INFINITY, -INFINITY), 0.0F, 0.0F, kNone};
}

__device__ __forceinline__ Entry either(bool first, const Entry& a, const Entry& b) {
    return {make_float4(first ? a.edges.x : b.edges.x, first ? a.edges.y : b.edges.y, first ? a.edges.z : b.edges.z,
                        first ? a.edges.w : b.edges.w),
            first ? a.area : b.area, first ? a.score : b.score, first ? a.index : b.index};
}

__device__ __forceinline__ Entry make_entry(const NmsRuleSet& rules, float4 b, float score, std::uint32_t i) {
    constexpr float kFar = 3.402823466e+38F;
    if (!is_valid_detection(Box{b.x, b.y, b.z, b.w}, score)) return no_entry();
    if (rules.disjoint) return {make_float4(-kFar, -kFar, kFar, kFar), b.z * b.w, score, i};
    // Widened by one pixel for inclusive ones. Rounding cannot part boxes that meet: it keeps the order of sums.
    return {make_float4(b.x, b.y, (b.x + b.z) + rules.extent, (b.y + b.w) + rules.extent), b.z * b.w, score, i};
}

// Whether j, which precedes i, suppresses it: any rule, from the raw detections. Out of line: rare.
static __device__ __noinline__ bool suppresses_exactly(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                       std::uint32_t i, std::uint32_t j) {
    return suppresses<PairPath::any>(rules, raw, Candidate{load_box(raw.boxes, i), raw.scores[i], i},
                                     Candidate{load_box(raw.boxes, j), raw.scores[j], j});
}

// a precedes b.
__device__ __forceinline__ bool ahead(const Box* d_boxes, float score_a, std::uint32_t a, float score_b,
                                      std::uint32_t b) {
    if (score_a != score_b) return score_a > score_b;
    return a != b && precedes_at_equal_scores(d_boxes, score_a, a, b);
}

// Whether j, which precedes i, suppresses it.
__device__ __forceinline__ bool entry_suppresses(const PairRules& pairs, const Entry& i, const Entry& j) {
    const NmsRuleSet& rules = pairs.rules;
    if (pairs.plan.quick) {
        const float width = fminf(i.edges.z, j.edges.z) - fmaxf(i.edges.x, j.edges.x);
        const float height = fminf(i.edges.w, j.edges.w) - fmaxf(i.edges.y, j.edges.y);
        const float intersection = width > 0.0F && height > 0.0F ? width * height : 0.0F;
        const float limit = rules.theta * overlap_base(rules.overlap, intersection, i.area, j.area);
        if (rules.ties == Ties::strict && i.score == j.score) return false;
        // As in reaches().
        const bool clear = limit > 1e-30F && limit < 1e30F;
        if (clear && intersection > limit * 1.000001F) return true;
        if (!(intersection > 0.0F) || (clear && intersection < limit * 0.999999F)) return false;
    }
    return suppresses_exactly(rules, pairs.raw, i.index, j.index);
}

// The edges that the others must reach into: of i, moved inwards by what it shares with all that matter. Not where its
// extent is of the order of what its coordinates were rounded by.
__device__ __forceinline__ float4 narrow_edges(float4 e, float least_share) {
    const float width = e.z - e.x;
    const float height = e.w - e.y;
    const float largest = fmaxf(fmaxf(fabsf(e.x), fabsf(e.y)), fmaxf(fabsf(e.z), fabsf(e.w)));
    if (least_share == 0.0F || !(fminf(width, height) > largest * 1e-3F)) return e;
    const float x = width * least_share;
    const float y = height * least_share;
    return make_float4(e.x + x, e.y + y, e.z - x, e.w - y);
}

}  // namespace throng::gpu
