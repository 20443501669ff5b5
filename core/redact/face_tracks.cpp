#include "core/redact/face_tracks.h"

#include <utility>

namespace throng {
namespace {

std::vector<FaceBox> with_tracks(std::vector<FaceBox> boxes, const std::vector<Track>& tracks) {
    for (const Track& track : tracks) {
        if (track.state != TrackState::predicted) boxes.push_back({track.id, track.box, track.score, true});
    }
    return boxes;
}

}  // namespace

FaceTracks::FaceTracks(const TrackerParams& params, bool linked) : params_(params), tracker_(params), linked_(linked) {}

void FaceTracks::push(const TrackerInput& input, std::vector<FaceBox> others) {
    std::vector<Detection> confident(input.kept.begin(), input.kept.end());
    std::vector<Detection> candidates;
    for (const Detection& candidate : input.candidates) {
        (candidate.hits >= params_.confident_hits ? confident : candidates).push_back(candidate);
    }
    TrackerInput boxes = input;
    boxes.kept = confident;
    boxes.candidates = candidates;
    std::vector<bool> used(confident.size());
    std::vector<Track> tracks = tracker_.update(boxes);
    for (const Track& track : tracks) {
        if (track.state != TrackState::predicted && track.detection >= 0) {
            used[static_cast<std::size_t>(track.detection)] = true;
        }
    }
    std::vector<FaceBox> single;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) single.push_back({-1, confident[i].box, confident[i].score, true});
    }
    single.insert(single.end(), others.begin(), others.end());
    if (!linked_) {
        ready_.push_back(with_tracks(std::move(single), tracks));
        return;
    }
    waiting_.push_back(std::move(single));
    relinked_.push(input, std::move(tracks));
    drain();
}

void FaceTracks::finish() {
    relinked_.finish();
    drain();
}

void FaceTracks::drain() {
    while (const std::optional<std::vector<Track>> tracks = relinked_.pop()) {
        ready_.push_back(with_tracks(std::move(waiting_.front()), *tracks));
        waiting_.pop_front();
    }
}

std::optional<std::vector<FaceBox>> FaceTracks::pop() {
    if (ready_.empty()) return std::nullopt;
    std::optional<std::vector<FaceBox>> boxes = std::move(ready_.front());
    ready_.pop_front();
    return boxes;
}

}  // namespace throng
