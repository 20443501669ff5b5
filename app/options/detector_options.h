// Options of the detector, the same for every command that detects.
#pragma once

#include <CLI/CLI.hpp>

#include "core/detect/detector.h"

namespace throng {

// Adds --detector, --model, --min-size, --max-size, --scale-factor and --threads. The values in `params` are the
// defaults. Call check_params(params) after parsing.
void add_detector_options(CLI::App& command, DetectorParams& params);

}  // namespace throng
