// Options of the detector, the same for every command that detects.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "core/detect/detector.h"

namespace throng {

// The parameters, and which of them the user gave: the others are the kind's.
struct DetectorOptions : DetectorParams {
    // Set by add_detector_options: whether the user gave these is known after parsing only.
    const CLI::Option* min_size_option = nullptr;
    const CLI::Option* max_size_option = nullptr;
    const CLI::Option* scale_factor_option = nullptr;
    const CLI::Option* score_threshold_option = nullptr;
};

// Adds --detector, --model, --min-size, --max-size, --scale-factor, --score-threshold, --half, --switch and --threads.
// kinds: names of detector_kinds() to choose from, by default all; the first is the default.
void add_detector_options(CLI::App& command, DetectorOptions& options, const std::vector<std::string>& kinds = {});

// To be called after parsing: what the user did not give becomes the kind's default; then check_params. Throws
// Error(usage).
void finalize_detector_options(DetectorOptions& options);

}  // namespace throng
