#include "core/redact/hiding.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/detect/detector_kinds.h"

namespace throng {

HidingParams hiding_params(std::string_view kind) {
    const DetectorKind& detector = detector_kind(kind);
    HidingParams params;
    params.plan.delay = kLiveDelay;
    params.tracker = tracker_params(kind);
    params.tracker.confident_score = std::numeric_limits<float>::lowest();
    if (detector.finds != "faces") {
        params.redact.margin = 0.1F;  // of a person: the box of HOG has a margin already
    } else if (detector.name == "cnn") {
        params.redact.margin = 0.3F;
        params.plan.min_aspect = 0.9F;
        params.plan.edge_extension = 12;
        params.threshold_fraction = 0.5F;
    } else {
        // The windows of cascades are smaller than a face, and jitter. Half-hidden faces are missed for longer. Clusters of
        // few windows are mostly wrong: they start no track.
        params.redact.margin = 0.55F;
        params.tracker.confident_hits = 5;
        params.plan.extension = 20;
        params.plan.growth = 0.004F;
        params.plan.window = 3;
    }
    return params;
}

HidingParams strict_hiding_params(std::string_view kind) {
    const DetectorKind& detector = detector_kind(kind);
    HidingParams params = hiding_params(kind);
    params.tracker.confident_hits = 1;
    params.search = {detector.params, detector.nms};
    // The boxes that another detector shows are hidden as widely as if it hid them.
    float widest = params.redact.margin;
    for (const DetectorKind& each : detector_kinds()) widest = std::max(widest, hiding_params(each.name).redact.margin);
    params.shown_growth = ((1 + 2 * widest) / (1 + 2 * params.redact.margin) - 1) / 2;
    return params;
}

Hider::Hider(const HidingParams& params)
    : params_(params), faces_(params.tracker, params.plan.delay == PlanOptions::kWholeSequence) {}

namespace {

Box grown_box(const Box& box, float share) {
    return {box.x - share * box.w, box.y - share * box.h, box.w * (1 + 2 * share), box.h * (1 + 2 * share)};
}

}  // namespace

std::vector<FaceBox> Hider::shown_boxes(const HidingInput& input) const {
    std::vector<FaceBox> boxes;
    for (const Detection& shown : input.shown) {
        boxes.push_back({-1, grown_box(shown.box, params_.shown_growth), shown.score, true});
    }
    return boxes;
}

void Hider::push(const HidingInput& input) {
    if (input.width != width_ || input.height != height_ || input.source != source_) {
        flush();
        planner_.reset();
    }
    if (!planner_) planner_.emplace(input.width, input.height, params_.plan);
    source_ = input.source;
    width_ = input.width;
    height_ = input.height;
    damaged_.push_back(input.damaged);
    faces_.push(input, shown_boxes(input));
    drain();
}

FramePlan Hider::plan_alone(const HidingInput& input) const {
    FaceTracks faces(params_.tracker, false);
    RedactPlanner planner(input.width, input.height, params_.plan);
    faces.push(input, shown_boxes(input));
    planner.push(*faces.pop(), input.damaged);
    planner.finish();
    return *planner.pop();
}

void Hider::flush() {
    if (!planner_) return;
    faces_.finish();
    drain();
    planner_->finish();
    drain();
}

void Hider::drain() {
    while (const std::optional<std::vector<FaceBox>> boxes = faces_.pop()) {
        planner_->push(*boxes, damaged_.front());
        damaged_.pop_front();
    }
    while (std::optional<FramePlan> plan = planner_->pop()) {
        plan->number = next_++;
        ready_.push_back(std::move(*plan));
    }
}

std::optional<FramePlan> Hider::pop() {
    if (ready_.empty()) return std::nullopt;
    std::optional<FramePlan> plan = std::move(ready_.front());
    ready_.pop_front();
    return plan;
}

}  // namespace throng
