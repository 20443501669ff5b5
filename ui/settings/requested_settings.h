// What the window asks of a pipeline: the user's settings, and what its own parts need besides.
#pragma once

#include "ui/base/run_listener.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

// Returns the user's settings with what the overlay and the needs add.
[[nodiscard]] PipelineSettings requested_settings(PipelineSettings settings, const DisplaySettings& display,
                                                  const PipelineNeeds& needs);

// Compares what requested_settings and the user change.
[[nodiscard]] bool same_settings(const PipelineSettings& a, const PipelineSettings& b);

}  // namespace throng::ui
