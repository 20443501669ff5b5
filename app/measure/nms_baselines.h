// CPU baselines of `bench nms`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/detect/detection.h"
#include "core/detect/nms.h"

namespace throng {

struct BaselineTime {
    std::string name;
    double median_ms;
    std::int64_t kept;
};

// Runs each baseline that supports the rule for about half a second, at least once. "plain": one-pass or greedy as two
// loops over pairs, on one thread. "opencv": cv::dnn::NMSBoxes, for greedy with the IoU. Baselines are quadratic, so
// none runs for more than kMaxBaselineInput boxes.
[[nodiscard]] std::vector<BaselineTime> time_baselines(const DetectionSet& boxes, const NmsParams& params);

inline constexpr std::size_t kMaxBaselineInput = 70000;

}  // namespace throng
