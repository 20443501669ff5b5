// How many boxes a detector of ours and one of OpenCV have in common.
#pragma once

#include <opencv2/core/types.hpp>

#include <cstdint>
#include <vector>

#include "core/detect/detection.h"

namespace throng {

// Boxes with the same whole numbers of pixels; ours are cut off to them. Copies count as often as both have them.
[[nodiscard]] std::int64_t common_boxes(const DetectionSet& ours, std::vector<cv::Rect> theirs);

}  // namespace throng
