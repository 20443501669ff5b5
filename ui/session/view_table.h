// The table of views: a new view is one row here, one class and one QML file.
#pragma once

#include <memory>
#include <span>

#include "ui/session/session_setup.h"
#include "ui/settings/detection_settings.h"
#include "ui/settings/display_settings.h"
#include "ui/views/view.h"

namespace throng::ui {

// What a view may need when it is made. Outlives the views.
struct ViewContext {
    const SessionSetup& setup;
    DetectionSettings& detection;
    DisplaySettings& display;
    std::function<double()> median_ms;  // of a frame until now; 0: unknown
};

struct ViewRow {
    ViewInfo info;
    std::unique_ptr<View> (*make)(const ViewContext& context);
};

// In the order of the title bar.
[[nodiscard]] std::span<const ViewRow> view_table();

}  // namespace throng::ui
