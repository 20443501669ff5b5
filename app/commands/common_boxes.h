// Counts the boxes that Throng's detector and OpenCV's have in common.
#pragma once

#include <opencv2/core/types.hpp>

#include <cstdint>
#include <vector>

#include "core/detect/detection.h"

namespace throng {

// Compares boxes in whole pixels; the coordinates of `ours` are truncated. A box that occurs several times counts as
// often as it occurs in both.
[[nodiscard]] std::int64_t common_boxes(const DetectionSet& ours, std::vector<cv::Rect> theirs);

}  // namespace throng
