// Tracks faces or people from frame to frame by position, size and motion. It recognizes no persons: no part of the
// image is compared, and people who return get a new id.
// Source: Y. Zhang et al., ByteTrack: Multi-Object Tracking by Associating Every Detection Box (ECCV 2022).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/algo/box.h"
#include "core/detect/detector.h"

namespace throng {

// Evidence for a track in one frame.
enum class TrackState : std::uint8_t {
    detected,   // a confident detection
    recovered,  // a detection with few hits or a low score, near the predicted position
    predicted,  // none: the box follows from the motion alone
};

// Returns "detected", "recovered" or "predicted".
[[nodiscard]] std::string_view name_of(TrackState state);

// One track in one frame. Boxes are in pixels of the frame and may reach beyond it.
struct Track {
    std::int64_t id = 0;    // from 1, in the order of birth; never used again by the same Tracker
    Box box{};              // the detection's box (linked: see relink_tracks); that of the motion model if predicted
    Box smoothed{};         // for display: the same object with less jitter
    float vx = 0, vy = 0;   // velocity of the center, pixels per second
    float score = 0;        // of the detection; of the last one if predicted
    std::int32_t hits = 0;  // as score
    TrackState state = TrackState::detected;
    bool confirmed = false;       // has enough evidence to be reported; remains true until the track ends
    bool covered = false;         // predicted, and a detected track covers most of the box: behind another person
    std::int32_t age = 0;         // frames since birth, 0 in the first
    std::int32_t gap = 0;         // frames since the last detection, 0 unless predicted
    std::int32_t detection = -1;  // index in TrackerInput::kept; -1: a candidate or none
    // That of the whole face or person if the edge of the frame cuts `box`: it reaches out of the frame (relink_tracks).
    // Without extent: there is none.
    Box whole{};
    // Where people and their faces are tracked (join_faces): id of the track of this person's face, or of this face's
    // person; 0: none. The tracker leaves it at 0.
    std::int64_t partner = 0;
};

// Returns the box of a track that results report.
[[nodiscard]] inline const Box& reported_box(const Track& track) {
    return track.whole.w > 0 ? track.whole : track.box;
}

struct TrackerParams {
    // A detection is confident from both of these on. The others only continue tracks and start none.
    std::int32_t confident_hits = 1;
    float confident_score = 0;
    // The detector reports candidates down to this fraction of its score threshold. 1: none below the threshold.
    float candidate_fraction = 0.5F;

    // Confident detections, and hits of them in total, that confirm a track. In the first frame one detection does.
    std::int32_t birth_detections = 2;
    std::int32_t birth_hits = 2;
    double max_gap = 1.6;  // seconds that a track survives without a confident detection, at most
    double gate = 3;       // maximum distance of a detection from its prediction, in standard deviations
    // Standard deviations of a detection from its prediction: of the center, in sides of the box, and of the height, in
    // natural logarithms. They exceed the noise of a measurement, because a cluster is sometimes represented by a window
    // beside the face.
    double deviation_x = 0.15;
    double deviation_y = 0.15;
    double deviation_height = 0.2;
    double emerging = 1.33;  // factor on those of the center after a gap: at first only a part of the face is detected

    friend bool operator==(const TrackerParams&, const TrackerParams&) = default;
};

// Returns the parameters for a kind of detector.
[[nodiscard]] TrackerParams tracker_params(DetectorId kind);

// Throws Error(usage) naming the parameter if a value is out of range.
void check_params(const TrackerParams& params);

struct TrackerInput {
    std::span<const Detection> kept;        // after NMS; invalid boxes are ignored
    std::span<const Detection> candidates;  // clusters that NMS or the score threshold rejected: they start no track
    std::string_view source;                // name: of the file, or of the image of a folder
    int width = 0;                          // of the frame, in pixels
    int height = 0;
    double seconds = 0;  // presentation time. A cut (SceneCut) ends all tracks.
    // Motion of the scene in the image since the previous frame, in pixels, if known. Otherwise estimated from the
    // displacements of the boxes.
    struct Shift {
        double x, y;
    };
    std::optional<Shift> camera_motion;
};

// Not thread-safe. Deterministic: the same inputs give the same tracks on every machine.
class Tracker {
public:
    // Throws Error(usage) as check_params does.
    explicit Tracker(const TrackerParams& params);
    ~Tracker();
    Tracker(Tracker&&) noexcept;
    Tracker& operator=(Tracker&&) noexcept;

    // Advances to the next frame and returns its tracks by id, those that are not yet confirmed included: a consumer
    // that hides faces uses all, a consumer that counts or shows them those that are confirmed. A second call for the
    // same time (the frame was detected again) continues the tracks without motion, and is no evidence for them.
    [[nodiscard]] std::vector<Track> update(const TrackerInput& input);

    // Ends all tracks. Ids go on.
    void reset();

    // Changes the parameters for the next frame; the tracks go on. Throws Error(usage) as check_params does.
    void set_params(const TrackerParams& params);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
