// The settings of the detector in reports, by the names of their rows: numbers, true or false, null if not set. A report
// has the detector, its model and its switches in addition.
#pragma once

#include <nlohmann/json.hpp>

#include "core/detect/chosen_settings.h"

namespace throng {

void write_settings(const DetectionParams& params, nlohmann::ordered_json& settings);

// Replaces what was chosen. Throws Error(usage) for a value that a setting cannot have, and nlohmann's exceptions.
void choose_settings(const nlohmann::ordered_json& settings, ChosenSettings& chosen);

}  // namespace throng
