// The arguments of the NMS kernels: one task per frame (or class), and the parameters of the rule. Plain data, passed
// by value or read from device memory.
#pragma once

#include <cstddef>
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
    // The matrix and the grid engine leave a frame alone that has fewer or more detections: the other one processes it.
    std::uint32_t fewest = 0;
    std::uint32_t most = 0xFFFFFFFFU;
    unsigned long long* tests = nullptr;  // increased by the number of pairs whose overlap is computed; or null
};

// Words in device memory that must be 0 before they are used.
struct ClearedWords {
    std::uint32_t* words = nullptr;
    std::size_t count = 0;
};

// The parameters of a rule in the form that the kernels use: theta is the least overlap that suppresses.
struct NmsRuleSet : NmsParams {
    float extent = 0;            // 1 for inclusive pixels
    float smallest_overlap = 0;  // minimum overlap for an effect; 0: any pair with a non-empty intersection
    bool disjoint = false;       // disjoint boxes may also suppress (a threshold of 0)
    PairGate gate;               // of a caller of the C library
};

// params: as check_params admits.
inline NmsRuleSet make_rule_set(const NmsParams& params, const PairGate& gate) {
    NmsRuleSet rules;
    static_cast<NmsParams&>(rules) = params;
    rules.extent = pixel_extent(params.pixels);
    rules.theta = suppression_threshold(params.compare, params.theta);
    rules.disjoint = !((params.pair == PairRule::feature ? params.feature_high : rules.theta) > 0.0F);
    rules.smallest_overlap = params.pair == PairRule::feature        ? params.feature_low
                             : params.rule == NmsRule::soft_gaussian ? 0.0F
                                                                     : rules.theta;
    rules.gate = gate;
    return rules;
}

}  // namespace throng::gpu
