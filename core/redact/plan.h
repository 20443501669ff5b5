// Decides what is hidden in each frame of a video from the boxes of all its frames. Better hidden than missed: a face that a
// detector misses in one frame is hidden there, because it was found before or after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/algo/box.h"
#include "core/redact/redact.h"

namespace throng {

// One box of a frame, as a detector or a tracker reports it.
struct FaceBox {
    std::int64_t track = -1;  // identity across frames; -1: none, hidden in this frame only
    Box box{};                // pixels of the frame
    float score = 0;
    bool detected = true;  // false: predicted by the tracker; the plan makes its own predictions and ignores the box
};

// Why a region is hidden.
enum class RegionReason : std::uint8_t {
    detected,  // the detector found a face in this frame
    filled,    // between two frames of a track in which it was found
    extended,  // before the first or after the last frame of a track
};

struct PlannedRegion {
    Box box{};  // grown for uncertainty where it is not detected; without the margin of RedactOptions
    std::int64_t track = -1;
    RegionReason reason = RegionReason::detected;
    float score = 0;  // of the detection, or of the nearest one in time
};

// What is hidden in one frame.
struct FramePlan {
    std::int64_t number = 0;  // of the frame, from 0, in the order of push
    bool whole = false;       // hide the whole frame: it is damaged and cannot be judged
    std::vector<PlannedRegion> regions;

    [[nodiscard]] RedactRegions to_hide() const;
};

struct PlanOptions {
    // Frames that are pushed after a frame before it is decided. Live: a small number, the delay of the image.
    // kWholeSequence: nothing is decided before finish.
    static constexpr int kWholeSequence = std::numeric_limits<int>::max();
    int delay = kWholeSequence;
    // Hidden before the first and after the last detection of a track, in frames. A track that begins or ends at the edge
    // of the frame is extended longer: a detector misses a face that is cut, which then moves on slowly.
    int extension = 8;
    int edge_extension = 30;
    int min_extended = 3;     // a track with fewer detections is not extended
    int window = 4;           // frames on either side whose boxes, moved along, are hidden in a frame, too
    float growth = 0.006F;    // margin added per frame of distance to the nearest detection, as a share of the size
    float max_growth = 0.3F;  // limit of that margin
    int max_gap = 30;         // frames: a longer gap within a track is not filled in, but extended from both sides
    float min_aspect = 0;     // width to height of a detection, at least: see hidden_box
    // Tracks below are reported as uncertain.
    int short_track = 3;  // detections
    float low_score = 0;  // best score
    int long_gap = 30;    // frames filled in without interruption

    friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

// Returns the box with this share of its width and height added on each side.
[[nodiscard]] Box grown(const Box& box, float share);

// Returns the box of a detection, widened to PlanOptions::min_aspect: a face that another person covers from the side is
// detected by the part that is visible.
[[nodiscard]] Box hidden_box(const Box& box, const PlanOptions& options);

// Facts about a track, for the report.
struct TrackSummary {
    std::int64_t track = 0;
    std::int64_t first = 0, last = 0;  // frames in which it was detected
    std::int64_t num_detected = 0;
    std::int64_t num_filled = 0;
    std::int64_t num_extended = 0;
    std::int64_t longest_gap = 0;  // frames filled in without interruption
    float best_score = 0;
    std::int64_t best_frame = 0;  // the frame of the best score, and the box there
    Box best_box{};
    bool is_short = false, has_low_score = false, has_long_gap = false;  // by PlanOptions

    [[nodiscard]] bool doubtful() const { return is_short || has_low_score || has_long_gap; }
};

// Not thread-safe. Push all frames of a sequence in order; pop the frames that are decided.
class RedactPlanner {
public:
    // width and height of the frames, in pixels.
    RedactPlanner(int width, int height, const PlanOptions& options = {});
    RedactPlanner(RedactPlanner&&) = default;
    RedactPlanner& operator=(RedactPlanner&&) = default;

    // Decides all frames so far. Those that follow may have another size; no track goes on there.
    void begin_scene(int width, int height);

    // Adds the boxes of the next frame. damaged: the frame cannot be judged and is hidden entirely. A box with a value
    // that is not finite, or without extent, hides its whole frame.
    void push(const std::vector<FaceBox>& boxes, bool damaged = false);
    // Decides all frames so far with what is known. push may follow; tracks continue.
    void finish();

    // Returns the plan of the next frame in order, or nothing if it is not decided yet.
    [[nodiscard]] std::optional<FramePlan> pop();

    // Returns the tracks, by identity. Complete after the last finish, before and after pop. With a delay, tracks that
    // ended long ago are forgotten: a live image has no end.
    [[nodiscard]] std::vector<TrackSummary> tracks() const;

    // A detection of a track, as it was pushed.
    struct Seen {
        std::int64_t frame;
        Box box;
        float score;
    };
    // Returns the detections of a track, in order. With a delay, those that no undecided frame needs are forgotten.
    [[nodiscard]] const std::deque<Seen>& detections(std::int64_t track) const { return tracks_.at(track).seen; }

    // Returns the number of detections that are kept.
    [[nodiscard]] std::size_t num_kept() const;

private:
    // Frames of one size.
    struct Scene {
        int width, height;
        std::int64_t begin;
        std::int64_t end = std::numeric_limits<std::int64_t>::max();
    };
    struct Track {
        std::deque<Seen> seen;
        TrackSummary summary;  // of the detections: tracks() adds what is filled in
        std::shared_ptr<const Scene> scene;
        bool is_past = false;  // no undecided frame is near
    };
    struct Start {
        std::int64_t frame;
        std::int64_t track;
    };
    struct Single {
        std::int64_t frame;
        FaceBox face;
    };

    void start_tracks();
    [[nodiscard]] std::optional<PlannedRegion> region_of(const Track& track, std::int64_t frame) const;
    [[nodiscard]] TrackSummary summary_of(const Track& track) const;
    [[nodiscard]] Box hidden(const Seen& seen) const { return hidden_box(seen.box, options_); }
    [[nodiscard]] Box hull(const Track& track, std::size_t nearest, std::int64_t frame) const;
    [[nodiscard]] Box beyond_edges(const Track& track, std::size_t nearest, Box box) const;
    [[nodiscard]] int extension_of(const Track& track, const Box& box) const;

    PlanOptions options_;
    std::int64_t reach_;  // frames around its detections in which a track may have a region
    std::shared_ptr<Scene> scene_;
    std::map<std::int64_t, Track> tracks_;
    // A long video has many tracks, of which few are near a frame.
    std::deque<Start> starts_;               // of tracks that begin or continue later, in order
    std::map<std::int64_t, Track*> active_;  // near the next frame to decide
    std::deque<Single> singles_;             // boxes without a track in frames that are not decided
    std::deque<std::int64_t> whole_;         // frames that are not decided and cannot be judged
    std::int64_t next_push_ = 0;
    std::int64_t next_pop_ = 0;
    std::int64_t decided_ = 0;  // frames before this one are decided
};

}  // namespace throng
