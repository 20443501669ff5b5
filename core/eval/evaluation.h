// Evaluates the detections of many images against ground truth.
#pragma once

#include <string>
#include <vector>

#include "core/annotations/labels.h"
#include "core/eval/average_precision.h"
#include "core/eval/track_metrics.h"

namespace throng {

// Result: MatchResult or TrackMetrics.
template <class Result>
struct FileEvaluation {
    std::string source;  // its name in the truth
    std::int64_t images = 0;
    bool found = false;  // the detections contain this file
    Result result;
};

template <class Result>
struct EvaluationOf {
    std::vector<FileEvaluation<Result>> files;  // in the order of the truth
    Result total;                               // ids of tracks in different files are different
    std::int64_t unjudged_images = 0;           // in the detections, without truth: not counted
};

using Evaluation = EvaluationOf<MatchResult>;
using TrackEvaluation = EvaluationOf<TrackMetrics>;

// Matches a file of the truth to the file of the detections with the same path, or with the same name and the longest
// common path suffix. Images are matched by frame number. If a file has only one image in both, these match regardless
// of their numbers (an image may be frame 7 of its folder). A file or frame that is missing in the detections counts as
// one without detections. Throws Error(input) if two files match equally well or an image appears twice, Error(usage)
// as check_options does.
[[nodiscard]] Evaluation evaluate(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                                  const MatchOptions& options);

// Evaluates tracks: pairs files and frames as evaluate does. In each frame, boxes and faces are matched first, with the
// IoU of options as minimum. A box that matches an ignored face, has more than half of its area in one, or is smaller
// than options.min_size and matches none, is left out, and so are the ignored faces. rank is not used. Throws as
// evaluate, and Error(input) if a face has no id or an id occurs twice in a frame of the truth.
[[nodiscard]] TrackEvaluation evaluate_tracks(const std::vector<TruthLabels>& truth,
                                              const std::vector<DetectionLabels>& tracks, const MatchOptions& options);

}  // namespace throng
