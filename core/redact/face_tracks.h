// The boxes of each frame of a source with their identity across frames, as a plan of what is hidden takes them.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/redact/plan.h"
#include "core/track/relink_queue.h"
#include "core/track/tracker.h"

namespace throng {

// Not thread-safe. Deterministic.
class FaceTracks {
public:
    // linked: tracks are linked with what comes after them (RelinkQueue), so that frames wait for up to a minute.
    // Otherwise each frame is decided at once.
    FaceTracks(const TrackerParams& params, bool linked);

    // Adds the next frame. Candidates with TrackerParams::confident_hits count as detections. others: more boxes of the
    // frame, which belong to no track.
    void push(const TrackerInput& input, std::vector<FaceBox> others = {});
    // Decides all frames so far. Linked tracks do not go on.
    void finish();

    // Returns the boxes of the next frame in order, or nothing if they are not decided yet: first those without a track,
    // then those of tracks that were found in the frame.
    [[nodiscard]] std::optional<std::vector<FaceBox>> pop();

private:
    void drain();

    TrackerParams params_;
    Tracker tracker_;
    bool linked_;
    RelinkQueue relinked_;
    std::deque<std::vector<FaceBox>> waiting_;  // without a track, of the frames in relinked_
    std::deque<std::vector<FaceBox>> ready_;
};

}  // namespace throng
