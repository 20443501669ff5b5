// Matches detections to ground truth and computes precision, recall and average precision.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/annotations/labels.h"

namespace throng {

// Ranking criterion of detections, for matching and for average precision.
enum class Rank : std::uint8_t {
    confidence,        // the confidence; the score where a file has none
    score,             // the detector's score
    hits,              // the number of raw detections that it represents, then the score
    score_times_hits,  // score * hits
};

struct MatchOptions {
    double iou = 0.5;     // minimum overlap of a detection with its matching face, in (0, 1]
    double min_size = 0;  // pixels: faces with a smaller side below are ignored, and so are unmatched detections
    Rank rank = Rank::confidence;
};

// Throws Error(usage) for values out of range.
void check_options(const MatchOptions& options);

[[nodiscard]] double intersection_over_union(const Box& a, const Box& b);
[[nodiscard]] double rank_of(const ScoredBox& detection, Rank rank);

// A detection after matching.
struct RankedOutcome {
    double rank = 0;
    bool correct = false;
    double height = 0;  // pixels: of the face if correct, otherwise of the detection
};

// The result of one image, or the sum of several.
struct MatchResult {
    std::int64_t faces = 0;               // not ignored
    std::int64_t correct = 0;             // detections that match a face
    std::int64_t wrong = 0;               // detections that match no face
    std::int64_t ignored = 0;             // detections that are not counted
    std::vector<RankedOutcome> outcomes;  // of the correct and the wrong ones
    std::vector<double> heights;          // pixels, of the faces that are not ignored

    MatchResult& operator+=(const MatchResult& other);
};

// Matches detections in order of decreasing rank; equal ranks keep their order. Each detection is assigned the
// unassigned face with the highest IoU, if that is at least `iou`. A detection without a face is wrong, unless it is
// ignored: its IoU with an ignored face is at least `iou`, more than half of it lies in an ignored face, or it is
// smaller than min_size. So a second detection of a face is wrong. Source: M. Everingham et al., The Pascal Visual
// Object Classes Challenge (IJCV 2010), section 4.2.2, with the best unassigned face instead of the best face.
[[nodiscard]] MatchResult match(const std::vector<TruthFace>& truth, const std::vector<ScoredBox>& detections,
                                const MatchOptions& options);

// Return correct / (correct + wrong) and correct / faces; nothing if the denominator is 0.
[[nodiscard]] std::optional<double> precision(const MatchResult& result);
[[nodiscard]] std::optional<double> recall(const MatchResult& result);

// A point of the precision/recall curve, for all detections of this rank or higher.
struct CurvePoint {
    double rank = 0;
    double precision = 0;
    double recall = 0;
};

// Returns one point per distinct rank, in decreasing order. Equal ranks form one point, so that the order of files has
// no effect. Empty if there are no faces.
[[nodiscard]] std::vector<CurvePoint> precision_recall_curve(const MatchResult& result);

// Returns the area under the curve, with every precision replaced by the highest at the same or a higher recall ("all
// points"):
//   AP = sum over k of (r_k - r_(k-1)) * max over j >= k of p_j,  r_0 = 0.
// Source: M. Everingham et al., The Pascal Visual Object Classes Challenge: A Retrospective (IJCV 2015), section 3.2.1.
// Returns nothing if there are no faces.
[[nodiscard]] std::optional<double> average_precision(const MatchResult& result);

}  // namespace throng
