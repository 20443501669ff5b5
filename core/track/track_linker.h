// Links the tracks of a source again while it runs: frames wait until the tracks after them are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/track/relink.h"
#include "core/track/scene_cut.h"

namespace throng {

// Tracks are linked by relink_tracks in sections of a minute, which overlap by a third: memory is bounded however long
// the source is. A track of two sections is one by the detections that both have. Not thread-safe. Deterministic.
//
// Each function returns the tracks of the frames that it decides, in order, as relink_tracks does. Ids are from 1 in the
// order of birth, and not used again. The tracks of a scene of less than 16 frames remain as they are, apart from their
// ids.
class TrackLinker {
public:
    using Decided = std::vector<std::vector<Track>>;  // of each frame

    // Adds the next frame with its tracks as Tracker::update returned them. A cut (SceneCut) decides all frames before.
    [[nodiscard]] Decided push(const TrackerInput& input, std::vector<Track> tracks);
    // Decides most of the frames so far, as if a section ended with them: for a caller who must not keep more. Decides
    // none of a few frames.
    [[nodiscard]] Decided end_section();
    // Decides all frames so far. Tracks do not go on.
    [[nodiscard]] Decided finish();

    // Returns the number of frames that are kept, decided ones of which the next section needs the tracks included.
    [[nodiscard]] std::size_t num_kept() const noexcept { return frames_.size(); }

private:
    struct Identity {
        std::int64_t id = 0;
        std::int64_t first = 0;  // frame of the scene
    };
    using Identities = std::map<std::int64_t, Identity>;

    Decided link(bool to_end);
    [[nodiscard]] Identities continued(const Decided& linked) const;

    SceneCut cut_;
    std::vector<TimedTracks> frames_;  // of the section
    std::int64_t first_frame_ = 0;     // number of frames_.front() in its scene
    std::size_t decided_ = 0;          // of frames_, by the previous section
    Decided previous_;                 // tracks of the previous section in the first of frames_
    Identities identities_;            // by the ids in previous_
    std::int64_t next_id_ = 1;
};

}  // namespace throng
