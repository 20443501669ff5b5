// Turns the detections of a running source into what is hidden in each frame: tracker and plan together, with the
// parameters of each detector.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detection.h"
#include "core/detect/detector.h"
#include "core/detect/nms.h"
#include "core/redact/face_tracks.h"
#include "core/redact/plan.h"
#include "core/redact/redact.h"
#include "core/track/tracker.h"

namespace throng {

// A second detection in each frame, for hiding alone.
struct HidingSearch {
    DetectorParams detector;
    NmsParams nms;

    friend bool operator==(const HidingSearch&, const HidingSearch&) = default;
};

// Recall first: a face that is shown by mistake is worse than a spot that is hidden by mistake.
struct HidingParams {
    RedactOptions redact;
    PlanOptions plan;
    TrackerParams tracker;
    // Of the detector's score threshold: detections from there on are hidden. 1 for detectors without a threshold.
    float threshold_fraction = 1;
    // If set, its detections are tracked and planned. Those of the pipeline are hidden besides, in their frame only.
    std::optional<HidingSearch> search;
    float shown_growth = 0;  // with search: margin added to the boxes of the pipeline, as a share of their size

    friend bool operator==(const HidingParams&, const HidingParams&) = default;
};

// Frames by which a live image is delayed, so that gaps are filled from both sides.
inline constexpr int kLiveDelay = 8;
// The same for files that are read once. Limits the memory for frames that wait.
inline constexpr int kFileDelay = 24;

// Returns the parameters for a detector kind (detector_kinds()), with a delay of kLiveDelay. `throng eval --leaks`
// measures them. Throws Error(usage) for an unknown kind.
[[nodiscard]] HidingParams hiding_params(std::string_view kind);

// Returns parameters that hide whatever that detector finds with its defaults: every cluster of raw detections, and
// scores down to threshold_fraction. What is hidden does not depend on the settings of the pipeline, which may show
// something else. Throws as hiding_params does.
[[nodiscard]] HidingParams strict_hiding_params(std::string_view kind);

// kept: hidden in any case. candidates: hidden where a track continues, or with TrackerParams::confident_hits. Another
// source than before (an image of a folder) ends all tracks.
struct HidingInput : TrackerInput {
    std::vector<Detection>
        shown;             // of another detector: hidden in this frame only, grown by HidingParams::shown_growth
    bool damaged = false;  // the frame, or the list of detections, is incomplete: it cannot be judged
};

// Not thread-safe. One per source. If nothing is decided before the end (PlanOptions::kWholeSequence), tracks are linked
// with what comes after them, as `throng anonymize` does.
class Hider {
public:
    explicit Hider(const HidingParams& params);

    // Adds the next frame. Another size or source ends all tracks and decides all frames before.
    void push(const HidingInput& input);
    // Decides all frames so far with what is known. Tracks continue.
    void flush();

    // Returns the plan of the next frame in order, or nothing if it is not decided yet.
    [[nodiscard]] std::optional<FramePlan> pop();

    // Returns the plan of a frame as if it followed the last one, decided at once. Changes nothing: for a frame that is
    // detected again with other settings.
    [[nodiscard]] FramePlan plan_alone(const HidingInput& input) const;

private:
    [[nodiscard]] std::vector<FaceBox> shown_boxes(const HidingInput& input) const;
    void drain();

    HidingParams params_;
    FaceTracks faces_;
    std::deque<bool> damaged_;              // frames in faces_
    std::optional<RedactPlanner> planner_;  // of the current video and size
    std::string source_;
    int width_ = 0;
    int height_ = 0;
    std::int64_t next_ = 0;  // number of the next plan
    std::deque<FramePlan> ready_;
};

}  // namespace throng
