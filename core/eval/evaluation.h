// Detections of many images against their truth.
#pragma once

#include <string>
#include <vector>

#include "core/eval/average_precision.h"
#include "core/eval/labels.h"

namespace throng {

struct FileResult {
    std::string source;  // as the truth names it
    std::int64_t images = 0;
    bool found = false;  // the detections have this file
    MatchResult result;
};

struct Evaluation {
    std::vector<FileResult> files;  // in the order of the truth
    MatchResult total;
    std::int64_t unjudged_images = 0;  // in the detections, without truth: not counted
};

// A file of the truth is the file of the detections with the same path, else the one of the same name that shares most
// folders from the end. Images go by frame number; where a file has but one image on either side these belong
// together whatever their numbers (an image is frame 7 of its folder). A file or a frame that the detections lack
// counts as one without detections. Throws Error(input) where two files fit equally well or an image appears twice,
// Error(usage) as check_options does.
[[nodiscard]] Evaluation evaluate(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                                  const MatchOptions& options);

}  // namespace throng
