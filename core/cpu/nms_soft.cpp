#include "core/cpu/nms_soft.h"

#include <algorithm>

namespace throng {

const std::vector<SoftSuppression::Pick>& SoftSuppression::run(const OrderedDetections& detections,
                                                               const NmsParams& params) {
    if (params.rule == NmsRule::soft_linear) {
        pick_all(detections, params, [theta = params.theta](float iou) { return soft_linear_factor(iou, theta); });
    } else {
        pick_all(detections, params, [sigma = params.sigma](float iou) { return soft_gaussian_factor(iou, sigma); });
    }
    return picks_;
}

// Scores almost always fall, so the heap keeps the score at insertion. A stale top entry is corrected. A negative score
// may rise, if score_min allows negative scores; then the detection is inserted again.
template <class Factor>
void SoftSuppression::pick_all(const OrderedDetections& detections, const NmsParams& params, Factor factor) {
    const std::vector<Box>& boxes = detections.boxes();
    const std::vector<std::uint32_t>& source = detections.source();
    const float extent = pixel_extent(params.pixels);
    const std::uint32_t n = detections.size();
    scores_ = detections.scores();
    done_.assign(n, 0);
    heap_.clear();
    picks_.clear();
    pair_tests_ = 0;
    if (n == 0) return;

    // A factor other than 1 needs an IoU above 0; for the linear rule, at least theta.
    const float threshold = params.rule == NmsRule::soft_linear ? params.theta : 0.0F;
    grid_.build(boxes, {}, extent, threshold);
    stop_.check();
    const auto finish = [&](std::uint32_t rank) {
        done_[rank] = 1;
        grid_.remove(rank);
    };
    const auto after = [&](const HeapEntry& a, const HeapEntry& b) {  // the heap's top precedes all others
        return precedes(boxes[b.rank], b.score, source[b.rank], boxes[a.rank], a.score, source[a.rank]);
    };
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        heap_.push_back({scores_[rank], rank});  // descending order: already a heap
    }

    while (!heap_.empty()) {
        stop_.check();
        std::pop_heap(heap_.begin(), heap_.end(), after);
        const HeapEntry top = heap_.back();
        heap_.pop_back();
        if (done_[top.rank] != 0 || top.score < scores_[top.rank])
            continue;  // done, or inserted again with a higher score
        if (top.score > scores_[top.rank]) {
            heap_.push_back({scores_[top.rank], top.rank});
            std::push_heap(heap_.begin(), heap_.end(), after);
            continue;
        }
        finish(top.rank);
        picks_.push_back({top.rank, top.score});

        const float area = box_area(boxes[top.rank], extent);
        grid_.search(top.rank, {Overlap::iou, threshold, true, 0, n}, pair_tests_, [&](std::uint32_t position) {
            const std::uint32_t rank = grid_.rank_at(position);
            const float intersection = intersection_area(boxes[rank], boxes[top.rank], extent);
            const float iou = overlap_ratio(Overlap::iou, intersection, box_area(boxes[rank], extent), area);
            const float before = scores_[rank];
            const float score = before * factor(iou);
            scores_[rank] = score;
            if (soft_drops(score, params.score_min)) {
                finish(rank);
            } else if (score > before) {
                heap_.push_back({score, rank});
                std::push_heap(heap_.begin(), heap_.end(), after);
            }
            return false;
        });
        if (picks_.size() > 1) continue;
        // Detections that the first pick did not overlap are tested against the threshold here, once. Later only
        // changed scores can fall below.
        for (std::uint32_t rank = 0; rank < n; ++rank) {
            if (soft_drops(scores_[rank], params.score_min)) finish(rank);
        }
    }
}

}  // namespace throng
