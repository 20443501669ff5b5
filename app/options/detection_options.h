// Options of the detector and of suppression, shared by all commands that detect or suppress: the rows of
// core/detect/detection_params.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "core/model/model_finder.h"

namespace throng {

struct DetectionOptions {
    // The kinds to choose from, or nothing for kAutoDetector; the first is the default. Empty: the boxes come from
    // elsewhere, and the defaults are those of DetectionParams.
    std::vector<std::optional<DetectorId>> kinds = {{},
                                                    DetectorId::haar,
                                                    DetectorId::lbp,
                                                    DetectorId::hog,
                                                    DetectorId::cnn,
                                                    DetectorId::person,
                                                    DetectorId::face_and_person};
    ChosenSettings chosen{};

    // Throws Error(usage) as ChosenSettings::params does. To be called once per run: see detector_of.
    [[nodiscard]] DetectionParams params() const {
        return kinds.empty() ? chosen.params(DetectionParams{}) : chosen.params(detector_of(chosen, kinds.front()));
    }
};

// Adds an option per row: "--min-size" for min_size. Shows the default of each kind of detector. Leaves rows
// out that have no meaning for boxes from elsewhere.
void add_settings(CLI::App& command, DetectionOptions& options, const std::vector<SettingRow>& rows);

}  // namespace throng
