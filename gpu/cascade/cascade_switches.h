// The switches of the CUDA cascade as text: for the command line, configuration files and the window's panel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/detect/detector_switch.h"
#include "gpu/cascade/cascade_options.h"

namespace throng::gpu {

// Returns every switch with its current choice. Segments at custom stages ("3,8") and a region of interest
// ("roi:X,Y,WxH") are listed as choices once selected.
[[nodiscard]] std::vector<DetectorSwitch> describe_switches(const CascadeOptions& options);

// Returns `defaults` with the named choices applied. Throws Error(usage) for an unknown id or choice.
[[nodiscard]] CascadeOptions with_choices(CascadeOptions defaults, const std::map<std::string, std::string>& choices);

}  // namespace throng::gpu
