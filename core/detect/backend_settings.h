// The table of what selects a backend, for the command line and the elements of GStreamer.
#pragma once

#include <vector>

#include "core/detect/detection_params.h"

namespace throng {

// Returns the rows "backend" and "device", which read and write no DetectionParams.
[[nodiscard]] const std::vector<SettingRow>& backend_settings();

// Returns the row with this name, which must exist.
[[nodiscard]] const SettingRow& backend_setting(std::string_view name);

}  // namespace throng
