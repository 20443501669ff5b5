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

Hider::Hider(const HidingParams& params) : params_(params), tracker_(params.tracker) {}

namespace {

// Adds the boxes that were found in this frame.
std::vector<FaceBox> faces_of(std::vector<FaceBox> single, const std::vector<Track>& tracks) {
    for (const Track& track : tracks) {
        if (track.state != TrackState::predicted) single.push_back({track.id, track.box, track.score, true});
    }
    return single;
}

Box grown_box(const Box& box, float share) {
    return {box.x - share * box.w, box.y - share * box.h, box.w * (1 + 2 * share), box.h * (1 + 2 * share)};
}

}  // namespace

// Candidates with enough hits count as detections.
std::vector<Track> Hider::track(const HidingInput& input, Tracker& tracker, std::vector<FaceBox>& single) const {
    const std::int32_t confident_hits = params_.tracker.confident_hits;
    std::vector<Detection> confident(input.kept.begin(), input.kept.end());
    std::vector<Detection> others;
    for (const Detection& candidate : input.candidates) {
        (candidate.hits >= confident_hits ? confident : others).push_back(candidate);
    }
    TrackerInput boxes = input;
    boxes.kept = confident;
    boxes.candidates = others;
    std::vector<bool> used(confident.size());
    std::vector<Track> tracks = tracker.update(boxes);
    for (const Track& track : tracks) {
        if (track.state != TrackState::predicted && track.detection >= 0) {
            used[static_cast<std::size_t>(track.detection)] = true;
        }
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) single.push_back({-1, confident[i].box, confident[i].score, true});
    }
    for (const Detection& shown : input.shown) {
        single.push_back({-1, grown_box(shown.box, params_.shown_growth), shown.score, true});
    }
    return tracks;
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
    std::vector<FaceBox> single;
    std::vector<Track> tracks = track(input, tracker_, single);
    if (params_.plan.delay == PlanOptions::kWholeSequence) {
        waiting_.push_back({std::move(single), input.damaged});
        relinked_.push(input, std::move(tracks));
        plan_relinked();
    } else {
        planner_->push(faces_of(std::move(single), tracks), input.damaged);
    }
    drain();
}

void Hider::plan_relinked() {
    while (const std::optional<std::vector<Track>> tracks = relinked_.pop()) {
        planner_->push(faces_of(std::move(waiting_.front().single), *tracks), waiting_.front().damaged);
        waiting_.pop_front();
    }
}

FramePlan Hider::plan_alone(const HidingInput& input) const {
    Tracker tracker(params_.tracker);
    RedactPlanner planner(input.width, input.height, params_.plan);
    std::vector<FaceBox> single;
    const std::vector<Track> tracks = track(input, tracker, single);
    planner.push(faces_of(std::move(single), tracks), input.damaged);
    planner.finish();
    return *planner.pop();
}

void Hider::flush() {
    if (!planner_) return;
    relinked_.finish();
    plan_relinked();
    planner_->finish();
    drain();
}

void Hider::drain() {
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
