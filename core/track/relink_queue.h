// Links the tracks of a source again while it runs: frames wait until the tracks after them are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/track/relink.h"
#include "core/track/scene_cut.h"

namespace throng {

// Tracks are linked by relink_tracks in sections of a minute, which overlap by a third: memory is bounded however long
// the source is. A track of two sections is one by the detections that both have. Not thread-safe. Deterministic.
class RelinkQueue {
public:
    // Adds the next frame with its tracks as Tracker::update returned them. A cut (SceneCut) decides all frames before.
    void push(const TrackerInput& input, std::vector<Track> tracks);
    // Decides most of the frames so far, as if a section ended with them: for a caller who must not keep more. Does
    // nothing for a few frames.
    void end_section();
    // Decides all frames so far. Tracks do not go on.
    void finish();

    // Returns the tracks of the next frame in order, as relink_tracks does, or nothing if they are not decided yet. Ids
    // are from 1 in the order of birth, and not used again. The tracks of a scene of less than 16 frames remain as they
    // are, apart from their ids.
    [[nodiscard]] std::optional<std::vector<Track>> pop();

private:
    struct Identity {
        std::int64_t id = 0;
        std::int64_t first = 0;  // frame of the scene
    };
    using Identities = std::map<std::int64_t, Identity>;

    void link(bool to_end);
    [[nodiscard]] Identities continued(const std::vector<std::vector<Track>>& linked) const;

    SceneCut cut_;
    std::vector<TimedTracks> frames_;           // of the section
    std::int64_t first_frame_ = 0;              // number of frames_.front() in its scene
    std::size_t decided_ = 0;                   // of frames_, by the previous section
    std::vector<std::vector<Track>> previous_;  // tracks of the previous section in the first of frames_
    Identities identities_;                     // by the ids in previous_
    std::deque<std::vector<Track>> ready_;
    std::int64_t next_id_ = 1;
};

}  // namespace throng
