#include "app/lab/measure/nms_baselines.h"

#include <algorithm>
#include <numeric>
#include <opencv2/dnn/dnn.hpp>
#include <utility>

namespace throng {
namespace {

// The textbook algorithm: sorts by score and compares each box with the previous ones.
std::vector<std::uint32_t> plain_suppression(const DetectionSet& set, const NmsParams& params) {
    const std::vector<Detection>& all = set.detections;
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return precedes(all[a].box, all[a].score, a, all[b].box, all[b].score, b);
    });
    const bool greedy = params.rule == NmsRule::greedy;
    const float extent = pixel_extent(params.pixels);
    std::vector<std::uint32_t> suppressors, kept;
    for (const std::uint32_t i : order) {
        const bool suppressed = std::any_of(suppressors.begin(), suppressors.end(), [&](std::uint32_t j) {
            return overlap_suppresses(params.overlap, all[i].box, all[j].box, extent, params.theta);
        });
        if (!suppressed) kept.push_back(i);
        if (!suppressed || !greedy) suppressors.push_back(i);
    }
    return kept;
}

template <class Run>
BaselineTime timed(const std::string& name, double budget_ms, Run&& run) {
    std::vector<std::uint32_t> kept;
    const Samples times = samples_within(budget_ms, [&] { kept = run(); });
    return {name, times, std::move(kept)};
}

}  // namespace

std::vector<BaselineTime> time_baselines(const DetectionSet& boxes, const NmsParams& params, double budget_ms) {
    std::vector<BaselineTime> times;
    const bool hard = params.rule == NmsRule::one_pass || params.rule == NmsRule::greedy;
    if (!hard || params.pair != PairRule::overlap || boxes.detections.size() > kMaxBaselineInput) return times;
    times.push_back(timed("plain", budget_ms, [&] { return plain_suppression(boxes, params); }));
    if (params.rule != NmsRule::greedy) return times;

    std::vector<cv::Rect2d> rectangles;
    std::vector<float> scores;
    for (const Detection& d : boxes.detections) {
        rectangles.emplace_back(static_cast<double>(d.box.x), static_cast<double>(d.box.y),
                                static_cast<double>(d.box.w), static_cast<double>(d.box.h));
        scores.push_back(d.score);
    }
    const float all_scores = 0.0F;
    times.push_back(timed("opencv", budget_ms, [&] {
        std::vector<int> kept;
        cv::dnn::NMSBoxes(rectangles, scores, all_scores, params.theta, kept);
        return std::vector<std::uint32_t>(kept.begin(), kept.end());
    }));
    return times;
}

}  // namespace throng
