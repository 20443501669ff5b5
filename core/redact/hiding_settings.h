// The table of what a user can choose about hiding, for the command line and the element thronghide.
#pragma once

#include <string>
#include <vector>

#include "core/detect/detection_params.h"
#include "core/redact/hiding.h"

namespace throng {

// A new setting is a field of the parameters and a row.
struct HidingSetting {
    SettingRow row;  // reads and writes no DetectionParams
    std::string (*value)(const HidingParams& params);
    void (*set)(HidingParams& params, const std::string& text);  // a text without a problem
};

// Returns the rows in the order of help texts.
[[nodiscard]] const std::vector<HidingSetting>& hiding_settings();

}  // namespace throng
