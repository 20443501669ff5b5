// Plans what is hidden in each frame of a whole video. Holds the detections of each track and no frames: of those, only
// the times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/redact/hiding.h"
#include "core/redact/lookahead.h"

namespace throng {

// A track at one time, for the report and for finding it again.
struct TrackSample {
    double pts = 0;  // seconds
    Box box{};
};

// Not thread-safe. Push all frames in order, finish, then ask. Every detection is in the plan: those that the tracker
// does not use are hidden in their frame alone.
class VideoPlan {
public:
    // params: with PlanOptions::kWholeSequence.
    explicit VideoPlan(const HidingParams& params);

    void push(LookaheadInput input);
    // Decides all frames.
    void finish();

    // Returns the tracks, by identity; their frames are numbers from 0 in the order of push.
    [[nodiscard]] const std::vector<TrackSummary>& tracks() const noexcept { return tracks_; }
    [[nodiscard]] double pts_of(std::int64_t frame) const { return times_.at(static_cast<std::size_t>(frame)); }
    // Returns the positions of a track: the first, the last, and one per second.
    [[nodiscard]] std::vector<TrackSample> samples(std::int64_t track) const;
    // Returns the track that is where those samples are at the same times, if there is exactly one. of_faces: of the faces
    // of a plan of people and faces, where a face may fill the box of its person.
    [[nodiscard]] std::optional<std::int64_t> find(const std::vector<TrackSample>& samples,
                                                   bool of_faces = false) const;

    struct Frame {
        double pts = 0;    // seconds
        double until = 0;  // the time of the next frame; the last one is shown as long as the one before
        FramePlan plan;
    };
    // Returns the next frame in order, or nothing after the last one.
    [[nodiscard]] std::optional<Frame> next();

private:
    [[nodiscard]] bool is_at(std::int64_t track, const TrackSample& sample) const;

    Lookahead lookahead_;
    std::vector<double> times_;         // of the frames, in seconds
    std::vector<TrackSummary> tracks_;  // after finish
};

}  // namespace throng
