// The model files that the detectors of this program can use.
#pragma once

#include <vector>

#include "ui/settings/detection_settings.h"

namespace throng::ui {

// Returns them without networks for another task. Reads the files of the networks.
[[nodiscard]] std::vector<InstalledModel> usable_models();

}  // namespace throng::ui
