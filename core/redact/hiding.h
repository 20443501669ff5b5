// How faces are hidden: the parameters of each detector, for tracker, plan and pixels.
#pragma once

#include <optional>
#include <string_view>

#include "core/detect/detection.h"
#include "core/detect/detector.h"
#include "core/detect/nms.h"
#include "core/redact/lookahead.h"
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

// Better hidden than missed: a face that is shown by mistake is worse than a spot that is hidden by mistake.
struct HidingParams {
    RedactOptions redact;
    PlanOptions plan;
    TrackerParams tracker;
    // Of the detector's score threshold: detections from there on are hidden. 1 for detectors without a threshold.
    float threshold_fraction = 1;
    // If set, its detections are tracked and planned. Those of the pipeline are hidden besides, in their frame only.
    std::optional<HidingSearch> search;
    float shown_growth = 0;  // with search: margin added to the boxes of the pipeline, as a share of their size
    // If set, the faces of a detector of people and their faces are hidden, too, by a plan of their own.
    struct Faces {
        PlanOptions plan;  // its delay is that of the people
        TrackerParams tracker;

        friend bool operator==(const Faces&, const Faces&) = default;
    };
    std::optional<Faces> faces;

    friend bool operator==(const HidingParams&, const HidingParams&) = default;
};

// Frames by which a live image is delayed, so that gaps are filled from both sides.
inline constexpr int kLiveDelay = 8;
// The same for files that are read once. Limits the memory for frames that wait.
inline constexpr int kFileDelay = 24;

// Returns the parameters for a kind of detector, with a delay of kLiveDelay. `throng eval --leaks` measures them.
[[nodiscard]] HidingParams hiding_params(DetectorId kind);

// Returns parameters that hide whatever that detector finds with its defaults: every cluster of raw detections, and
// scores down to threshold_fraction. What is hidden does not depend on the settings of the pipeline, which may show
// something else. Throws as hiding_params does.
[[nodiscard]] HidingParams strict_hiding_params(DetectorId kind);

// Returns the lookahead that hides with these parameters. If nothing is decided before the end
// (PlanOptions::kWholeSequence), tracks are linked with what comes after them, as `throng anonymize` does.
[[nodiscard]] LookaheadParams lookahead_params(const HidingParams& params);

// Returns the box of another detector's detection, grown by HidingParams::shown_growth, for LookaheadInput::others.
[[nodiscard]] FaceBox shown_box(const Detection& shown, const HidingParams& params);

}  // namespace throng
