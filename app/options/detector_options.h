// Options of the detector, shared by all commands that detect.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "core/detect/detector.h"

namespace throng {

// The parameters, and the options that show which of them the user gave. The others get the defaults of the kind.
struct DetectorOptions : DetectorParams {
    // Set by add_detector_options. Their count() is valid after parsing only.
    const CLI::Option* min_size_option = nullptr;
    const CLI::Option* max_size_option = nullptr;
    const CLI::Option* scale_factor_option = nullptr;
    const CLI::Option* score_threshold_option = nullptr;
};

// Adds --detector, --model, --min-size, --max-size, --scale-factor, --score-threshold, --half, --switch and --threads.
// kinds: names of detector_kinds() to choose from, by default all; the first is the default.
void add_detector_options(CLI::App& command, DetectorOptions& options, const std::vector<std::string>& kinds = {});

// Sets parameters that the user did not give to the defaults of the detector's kind, then calls check_params. To be
// called after parsing. Throws Error(usage).
void finalize_detector_options(DetectorOptions& options);

}  // namespace throng
