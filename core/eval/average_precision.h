// Matching of detections to truth, and what is counted from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/eval/labels.h"

namespace throng {

// What detections are ranked by, for matching and for average precision.
enum class Rank : std::uint8_t {
    score,             // the detector's score
    hits,              // the number of raw detections it stands for, then the score
    score_times_hits,  // score * hits
};

struct MatchOptions {
    double iou = 0.5;  // least overlap of a detection with the face it finds, in (0, 1]
    double min_size =
        0;  // pixels: faces whose smaller side is below are ignored, and so are detections that match nothing
    Rank rank = Rank::score;
};

// Throws Error(usage) for values out of range.
void check_options(const MatchOptions& options);

[[nodiscard]] double intersection_over_union(const Box& a, const Box& b);
[[nodiscard]] double rank_of(const ScoredBox& detection, Rank rank);

// A detection after matching.
struct RankedOutcome {
    double rank = 0;
    bool correct = false;
};

// The outcome of one image, or of several added up.
struct MatchResult {
    std::int64_t faces = 0;               // not ignored
    std::int64_t correct = 0;             // detections that found a face
    std::int64_t wrong = 0;               // detections that found none
    std::int64_t ignored = 0;             // detections that count for nothing
    std::vector<RankedOutcome> outcomes;  // of the correct and the wrong ones

    MatchResult& operator+=(const MatchResult& other);
};

// In order of falling rank (equal ones as they come) every detection takes the face that it overlaps most among those
// not taken yet, if their IoU is `iou` or more. One that gets none is wrong, unless it is to be ignored: it overlaps an
// ignored face with that IoU, more than half of it lies in an ignored face, or it is smaller than min_size. So a second
// detection of a face is wrong. Source: M. Everingham et al., The Pascal Visual Object Classes Challenge (IJCV 2010),
// section 4.2.2, with the best free face in place of the best face.
[[nodiscard]] MatchResult match(const std::vector<TruthFace>& truth, const std::vector<ScoredBox>& detections,
                                const MatchOptions& options);

// correct / (correct + wrong) and correct / faces; nothing where the denominator is 0.
[[nodiscard]] std::optional<double> precision(const MatchResult& result);
[[nodiscard]] std::optional<double> recall(const MatchResult& result);

// A point of the precision/recall curve: all detections of this rank or a higher one.
struct CurvePoint {
    double rank = 0;
    double precision = 0;
    double recall = 0;
};

// One point for every distinct rank, from the highest down; equal ranks count together, so that the order of files
// means nothing. Empty without faces.
[[nodiscard]] std::vector<CurvePoint> precision_recall_curve(const MatchResult& result);

// Area under the curve with every precision replaced by the highest at the same or a higher recall ("all points"):
//   AP = sum over k of (r_k - r_(k-1)) * max over j >= k of p_j,  r_0 = 0.
// Source: M. Everingham et al., The Pascal Visual Object Classes Challenge: A Retrospective (IJCV 2015), section 3.2.1.
// Nothing without faces.
[[nodiscard]] std::optional<double> average_precision(const MatchResult& result);

}  // namespace throng
