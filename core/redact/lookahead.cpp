#include "core/redact/lookahead.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "core/track/faces.h"

namespace throng {
namespace {

// Stands for the faces of a frame in which none were looked for, so that those of each frame stay beside its people.
LookaheadInput without_faces(const LookaheadInput& frame) {
    LookaheadInput faces;
    faces.source = frame.source;
    faces.width = frame.width;
    faces.height = frame.height;
    faces.seconds = frame.seconds;
    faces.damaged = true;
    return faces;
}

}  // namespace

Lookahead::Lookahead(const LookaheadParams& params) : params_(params) {
    if (params.tracker) tracker_.emplace(*params.tracker);
    if (params.plan) planner_.emplace(0, 0, *params.plan);
    if (params.faces.empty()) return;
    faces_ = std::make_unique<Lookahead>(params.faces.front());
    faces_->first_id_ = kFaceIds;
}

void Lookahead::set_tracker(const TrackerParams& params) {
    tracker_.value().set_params(params);
    params_.tracker = params;
}

// Adds the detections that no track uses to `single`.
std::vector<Track> Lookahead::find_tracks(const LookaheadInput& input, std::vector<FaceBox>& single) {
    if (!tracker_) return input.tracks;
    if (!planner_) return tracker_->update(input);
    // In the order of NMS, as if all of them were reported: the best score first.
    std::vector<Detection> confident;
    const std::span<const Detection> below = input.candidates.first(input.num_unconfident);
    std::merge(input.kept.begin(), input.kept.end(), below.begin(), below.end(), std::back_inserter(confident),
               [](const Detection& a, const Detection& b) { return a.score > b.score; });
    std::vector<Detection> candidates;
    for (const Detection& candidate : input.candidates.subspan(input.num_unconfident)) {
        (candidate.hits >= params_.tracker->confident_hits ? confident : candidates).push_back(candidate);
    }
    TrackerInput boxes = input;
    boxes.kept = confident;
    boxes.candidates = candidates;
    std::vector<bool> used(confident.size());
    std::vector<Track> tracks = tracker_->update(boxes);
    for (const Track& track : tracks) {
        if (track.state != TrackState::predicted && track.detection >= 0) {
            used[static_cast<std::size_t>(track.detection)] = true;
        }
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) single.push_back({-1, confident[i].box, confident[i].score, true});
    }
    return tracks;
}

void Lookahead::push(LookaheadInput input) {
    if (faces_) faces_->push(input.faces.empty() ? without_faces(input) : std::move(input.faces.front()));
    std::vector<FaceBox> single;
    std::vector<Track> tracks = find_tracks(input, single);
    if (planner_) {
        single.insert(single.end(), input.others.begin(), input.others.end());
        const bool same = input.width == width_ && input.height == height_ && input.source == source_;
        unlinked_.push_back({std::move(single), input.damaged, !same, input.width, input.height});
        source_ = input.source;
        width_ = input.width;
        height_ = input.height;
    }
    TrackLinker::Decided decided;
    if (params_.linked) {
        decided = linker_.push(input, std::move(tracks));
    } else {
        decided.push_back(std::move(tracks));
    }
    decide(std::move(decided));
}

void Lookahead::decide(TrackLinker::Decided decided) {
    for (std::vector<Track>& tracks : decided) {
        if (!planner_) {
            decided_.push_back(std::move(tracks));
            continue;
        }
        Waiting frame = std::move(unlinked_.front());
        unlinked_.pop_front();
        if (frame.begins_scene) planner_->begin_scene(frame.width, frame.height);
        for (const Track& track : tracks) {
            if (track.state != TrackState::predicted) {
                frame.boxes.push_back({first_id_ + track.id, track.box, track.score, true});
            }
        }
        planner_->push(frame.boxes, frame.damaged);
    }
}

void Lookahead::end_section() {
    decide(linker_.end_section());
    if (faces_) faces_->end_section();
}

void Lookahead::finish() {
    decide(linker_.finish());
    if (planner_) planner_->finish();
    if (faces_) faces_->finish();
}

std::optional<Lookahead::Decision> Lookahead::pop() {
    if (!own_) own_ = pop_own();
    if (!own_) return std::nullopt;
    if (faces_) {
        if (!decided_faces_) decided_faces_ = faces_->pop();
        if (!decided_faces_) return std::nullopt;
        FramePlan& plan = decided_faces_->plan;
        own_->plan.whole = own_->plan.whole || plan.whole;
        own_->plan.regions.insert(own_->plan.regions.end(), plan.regions.begin(), plan.regions.end());
        own_->face_tracks = std::move(decided_faces_->tracks);
        join_faces(own_->tracks, own_->face_tracks);
        decided_faces_.reset();
    }
    return std::exchange(own_, std::nullopt);
}

std::optional<Lookahead::Decision> Lookahead::pop_own() {
    Decision decision;
    if (planner_) {
        std::optional<FramePlan> plan = planner_->pop();
        if (!plan) return std::nullopt;
        decision.plan = *std::move(plan);
    } else {
        if (decided_.empty()) return std::nullopt;
        decision.tracks = std::move(decided_.front());
        decided_.pop_front();
    }
    return decision;
}

std::vector<TrackSummary> Lookahead::planned_tracks() const {
    std::vector<TrackSummary> tracks = planner_.value().tracks();
    if (!faces_) return tracks;
    const std::vector<TrackSummary> of_faces = faces_->planned_tracks();
    tracks.insert(tracks.end(), of_faces.begin(), of_faces.end());
    return tracks;
}

const std::deque<RedactPlanner::Seen>& Lookahead::detections(std::int64_t track) const {
    return (faces_ && track >= kFaceIds ? *faces_ : *this).planner_.value().detections(track);
}

std::size_t Lookahead::num_kept() const {
    return linker_.num_kept() + unlinked_.size() + decided_.size() + (planner_ ? planner_->num_kept() : 0) +
           (faces_ ? faces_->num_kept() : 0);
}

}  // namespace throng
