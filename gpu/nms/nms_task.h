// The arguments of the NMS kernels: one task per frame (or class), and the parameters of the rule. Plain data, passed
// by value or read from device memory.
#pragma once

#include <cstdint>

#include "core/detect/nms.h"
#include "gpu/nms/pair_gate.h"

namespace throng::gpu {

// Addresses are in device memory. The raw and the kept buffer must be different.
struct NmsTask {
    DetectionSpan raw;
    DetectionSpan kept;
    std::int32_t* owner =
        nullptr;  // [raw.capacity] raw index of the kept detection that each detection belongs to, -1 for none; or null
    const std::uint64_t* order = nullptr;  // [raw.capacity] as in PairGate, or null
    bool by_index = false;  // of equal scores the smaller index precedes: the keys of `order` are equal, too
    // The matrix and the grid engine leave a frame alone that has fewer or more detections: the other one processes it.
    std::uint32_t fewest = 0;
    std::uint32_t most = 0xFFFFFFFFU;
};

// The rule in the form that the kernels use.
struct NmsRuleSet {
    NmsRule rule;
    Overlap overlap;
    PairRule pair;
    Ties ties;
    float extent;  // 1 for inclusive pixels
    float theta;
    float feature_low;
    float feature_high;
    float feature_distance;
    std::int32_t min_hits;
    float smallest_overlap;  // minimum overlap for suppression; 0: any pair with a non-empty intersection
    bool disjoint;           // disjoint boxes may also suppress (a threshold of 0)
    PairGate gate;           // of a caller of the C library
};

inline NmsRuleSet make_rule_set(const NmsParams& p) {
    NmsRuleSet rules{};
    rules.rule = p.rule;
    rules.overlap = p.pair == PairRule::overlap ? p.overlap : Overlap::iou;
    rules.pair = p.pair;
    rules.ties = p.ties;
    rules.extent = pixel_extent(p.pixels);
    rules.theta = suppression_threshold(p.compare, p.theta);
    rules.feature_low = p.feature_low;
    rules.feature_high = p.feature_high;
    rules.feature_distance = p.feature_distance;
    rules.min_hits = p.min_hits;
    const float threshold = p.pair == PairRule::feature ? p.feature_high : rules.theta;
    rules.disjoint = !(threshold > 0.0F);
    rules.smallest_overlap = p.pair == PairRule::feature ? p.feature_low : rules.theta;
    return rules;
}

}  // namespace throng::gpu
