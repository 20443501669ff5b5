// Scores of tracks against ground truth with identities: HOTA, CLEAR and identity metrics.
// Sources: J. Luiten et al., HOTA: A Higher Order Metric for Evaluating Multi-Object Tracking (IJCV 2020);
// K. Bernardin, R. Stiefelhagen, Evaluating Multiple Object Tracking Performance: The CLEAR MOT Metrics (2008);
// E. Ristani et al., Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking (ECCV 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/box.h"

namespace throng {

struct IdBox {
    std::int64_t id = 0;  // unique within its frame and list
    Box box{};
};

// The boxes of one frame.
struct TrackFrame {
    std::vector<IdBox> truth;
    std::vector<IdBox> found;
};

// HOTA and its parts at one overlap threshold, or their means over several. All in [0, 1]; 0 without matches.
struct HotaScores {
    double hota = 0;   // sqrt(det_a * ass_a)
    double det_a = 0;  // detection accuracy: TP / (TP + FN + FP)
    double ass_a = 0;  // association accuracy
    double ass_re = 0, ass_pr = 0;
    double loc_a = 0;  // mean IoU of the matches; 1 without matches
};

struct TrackMetrics {
    HotaScores hota;    // mean over the thresholds 0.05, 0.10, … 0.95
    HotaScores at_iou;  // at the threshold of the caller

    // CLEAR, at the threshold of the caller.
    std::int64_t faces = 0;           // boxes of the truth
    std::int64_t matches = 0;         // true positives
    std::int64_t misses = 0;          // false negatives
    std::int64_t wrong = 0;           // false positives
    std::int64_t switches = 0;        // a face is matched by another id than the last time
    std::int64_t fragmentations = 0;  // a face is matched again after frames without a match
    double mota = 0;                  // 1 - (misses + wrong + switches) / faces; 0 without faces
    double motp = 0;                  // mean IoU of the matches

    // Identity metrics, at the threshold of the caller.
    std::int64_t id_matches = 0, id_misses = 0, id_wrong = 0;
    double idf1 = 0;
};

// Frames in the order of time. iou: in (0, 1]. Gives the values of TrackEval (J. Luiten), except where several optimal
// matchings exist.
[[nodiscard]] TrackMetrics compute_track_metrics(const std::vector<TrackFrame>& frames, double iou);

}  // namespace throng
