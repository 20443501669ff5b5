// Links the tracks of a whole video again. Over a gap the motion before and the motion after it must agree, which a
// tracker that sees one frame after the other cannot check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/track/tracker.h"

namespace throng {

// The tracks of one frame. Of each track, only id, box, state and confirmed are read; what a detection has besides is kept.
struct TimedTracks {
    double seconds = 0;  // presentation time
    std::vector<Track> tracks;
    int width = 0;  // of the frame, in pixels; 0: unknown, as if it had no edges
};

// Cuts tracks where a detection is missing and where the motion turns abruptly, joins the pieces whose motions agree,
// and fills short gaps. Detections that belong to no track with certainty are in tracks that are not confirmed and whose
// gaps are not filled: short pieces, and runs that could belong to two tracks. Who leaves the frame at its left or right
// edge does not come back as the same track. Where one of them cuts a face, Track::whole is the box of the whole face,
// which reaches out of the frame: the detector reports the part inside.
// frames: of one scene, in order; no id twice in a frame. Returns the tracks of each frame by id, with every detection.
// Ids are from 1, those of confirmed tracks first. Deterministic.
[[nodiscard]] std::vector<std::vector<Track>> relink_tracks(const std::vector<TimedTracks>& frames);

}  // namespace throng
