// Recall and average precision by the height of the faces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/eval/average_precision.h"

namespace throng {

// Limits of the classes of height in pixels; a last class has all faces from the last limit on, a first one those below
// the first.
inline constexpr double kFaceHeights[] = {6, 8, 10, 12, 16, 24, 48, 96, 300};

// Faces of from <= height < to. Figures without a value (no face) are absent.
struct HeightResult {
    double from = 0;
    double to = 0;  // infinite for the last class
    std::int64_t faces = 0;
    // At the lowest rank with at most this many wrong detections of any height per image.
    std::optional<double> recall_at_tenth;  // 0.1
    std::optional<double> recall_at_one;
    // Faces of other heights are ignored, as are wrong detections of other heights.
    std::optional<double> ap;
};

// Returns the classes with faces. images: number of images of the result.
[[nodiscard]] std::vector<HeightResult> results_by_height(const MatchResult& result, std::int64_t images);

// Returns the smallest height from which on each class has a recall of at least one half at 0.1 wrong detections per
// image; classes of fewer than 10 faces decide nothing. Nothing if the class of the largest faces has not.
[[nodiscard]] std::optional<double> height_found_by_half(const std::vector<HeightResult>& results);

}  // namespace throng
