// Options of the detector, shared by all commands that detect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "core/detect/detector.h"

namespace throng {

// The parameters, complete after finalize_detector_options. score_threshold is set only if the user chose it, before.
struct DetectorOptions : DetectorParams {
    // What the user chose; the others get the defaults of the kind.
    struct Chosen {
        bool kind = false;
        std::optional<int> min_size;
        std::optional<int> max_size;
        std::optional<double> scale_factor;
    };
    Chosen chosen;
};

// Adds --detector, --model, --min-size, --max-size, --scale-factor, --score-threshold, --half, --switch and --threads.
// kinds: names of detector_kinds() to choose from, by default all; the first is the default.
void add_detector_options(CLI::App& command, DetectorOptions& options, const std::vector<std::string>& kinds = {});

// Sets parameters to what the user chose, the others to the defaults of the detector's kind, then calls check_params.
// Throws Error(usage).
void finalize_detector_options(DetectorOptions& options);

}  // namespace throng
