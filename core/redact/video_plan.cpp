#include "core/redact/video_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/algo/nms_rules.h"

namespace throng {
namespace {

constexpr double kSampleStep = 1;  // seconds between two samples of a track

}  // namespace

VideoPlan::VideoPlan(const HidingParams& params) : lookahead_(lookahead_params(params)) {}

void VideoPlan::push(LookaheadInput input) {
    times_.push_back(input.seconds);
    lookahead_.push(std::move(input));
}

void VideoPlan::finish() {
    lookahead_.finish();
    tracks_ = lookahead_.planned_tracks();
}

std::vector<TrackSample> VideoPlan::samples(std::int64_t track) const {
    std::vector<TrackSample> samples;
    for (const RedactPlanner::Seen& seen : lookahead_.detections(track)) {
        const TrackSample sample{pts_of(seen.frame), seen.box};
        // The last sample is replaced until it is a second after the one before it.
        if (samples.size() < 2 || samples.back().pts - samples[samples.size() - 2].pts >= kSampleStep) {
            samples.push_back(sample);
        } else {
            samples.back() = sample;
        }
    }
    return samples;
}

bool VideoPlan::is_at(std::int64_t track, const TrackSample& sample) const {
    constexpr float kSameBox = 0.5F;
    constexpr double kRounding = 1e-6;  // seconds
    const std::int64_t frame = std::lower_bound(times_.begin(), times_.end(), sample.pts - kRounding) - times_.begin();
    const auto& detections = lookahead_.detections(track);
    const auto is_before = [](const RedactPlanner::Seen& seen, std::int64_t number) { return seen.frame < number; };
    const auto seen = std::lower_bound(detections.begin(), detections.end(), frame, is_before);
    return seen != detections.end() && seen->frame == frame &&
           pair_overlap(Overlap::iou, seen->box, sample.box, 0) >= kSameBox;
}

std::optional<std::int64_t> VideoPlan::find(const std::vector<TrackSample>& samples, bool of_faces) const {
    constexpr double kSameTime = 0.5;  // seconds by which the ends of the track may differ
    std::optional<std::int64_t> found;
    for (const TrackSummary& track : tracks_) {
        if ((track.track >= kFaceIds) != of_faces) continue;
        if (std::abs(pts_of(track.first) - samples.front().pts) > kSameTime ||
            std::abs(pts_of(track.last) - samples.back().pts) > kSameTime) {
            continue;
        }
        const auto is_here = [&](const TrackSample& sample) { return is_at(track.track, sample); };
        if (!std::all_of(samples.begin(), samples.end(), is_here)) continue;
        if (found) return std::nullopt;
        found = track.track;
    }
    return found;
}

std::optional<VideoPlan::Frame> VideoPlan::next() {
    std::optional<Lookahead::Decision> decision = lookahead_.pop();
    if (!decision) return std::nullopt;
    const auto i = static_cast<std::size_t>(decision->plan.number);
    const double step = i > 0 ? times_[i] - times_[i - 1] : 0;
    const double until = i + 1 < times_.size() ? times_[i + 1] : times_[i] + step;
    return Frame{times_[i], until, std::move(decision->plan)};
}

}  // namespace throng
