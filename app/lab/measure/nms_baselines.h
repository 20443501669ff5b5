// CPU baselines of `bench nms` and of the window's race.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/lab/measure/samples.h"
#include "core/detect/detection.h"
#include "core/detect/nms.h"

namespace throng {

struct BaselineTime {
    std::string name;
    Samples times;
    std::vector<std::uint32_t> kept;  // indices of boxes
};

// Runs each baseline that supports the rule for about budget_ms, at least once, on one thread. "plain": one-pass or
// greedy as two loops over pairs. "opencv": cv::dnn::NMSBoxes, for greedy. It uses the IoU whatever params.overlap is,
// suppresses above the threshold, orders equal scores by index, drops scores of 0 and below, and counts no hits; so it
// may keep other boxes. Baselines are quadratic, so none runs for more than kMaxBaselineInput boxes.
[[nodiscard]] std::vector<BaselineTime> time_baselines(const DetectionSet& boxes, const NmsParams& params,
                                                       double budget_ms = 500);

inline constexpr std::size_t kMaxBaselineInput = 70000;

}  // namespace throng
