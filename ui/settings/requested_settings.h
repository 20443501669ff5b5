// What the window asks of a pipeline: the user's settings, and what its own parts need besides.
#pragma once

#include "core/pipeline/pipeline.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

struct PipelineNeeds {
    bool raw = false;           // all raw detections
    bool each_frame = false;    // no boxes of an earlier frame
    bool fixed_sizes = false;   // the configured ones, however slow
    bool hidden_faces = false;  // of outputs, whatever is on screen
    bool host_pixels = true;
    DetectorId hides_by = DetectorId::haar;  // see SessionSetup
};

// Returns the user's settings with what the overlay and the needs add.
[[nodiscard]] PipelineSettings requested_settings(PipelineSettings settings, const DisplaySettings& display,
                                                  const PipelineNeeds& needs);

// Compares what requested_settings and the user change.
[[nodiscard]] bool same_settings(const PipelineSettings& a, const PipelineSettings& b);

}  // namespace throng::ui
