// Reference implementation of NMS, written directly from the definition, pair by pair and in order. Slow and
// independent of the engines, which tests compare with it. The loops of greedy and one-pass are those of
// core/algo/nms_reference.h, which no engine uses. Shares with the engines only the types, the validity of a detection
// and the exponential: another exponential would change the order of almost equal scores.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/detection.h"
#include "core/detect/nms.h"

namespace throng::test {

struct NmsInput {
    std::vector<Box> boxes;
    std::vector<float> scores;
    std::vector<float> density;   // empty, or one per box
    std::vector<float> features;  // empty, or feature_size per box
    std::int32_t feature_size = 0;
};

struct NmsOutput {
    std::vector<Detection> kept;  // in the order of the rule
    std::uint32_t invalid = 0;
};

[[nodiscard]] NmsOutput reference_nms(const NmsInput& input, const NmsParams& params);

}  // namespace throng::test
