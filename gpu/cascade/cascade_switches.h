// The switches of the CUDA cascade as words: for the command line, configuration files and the window's panel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/detect/detector_switch.h"
#include "gpu/cascade/cascade_options.h"

namespace throng::gpu {

// Every switch with its present choice. Segments at stages of one's own ("3,8") and a region of interest
// ("roi:X,Y,WxH") are choices too once they were made.
[[nodiscard]] std::vector<DetectorSwitch> describe_switches(const CascadeOptions& options);

// `defaults` with the named choices made. Throws Error(usage) for an unknown id or choice.
[[nodiscard]] CascadeOptions with_choices(CascadeOptions defaults, const std::map<std::string, std::string>& choices);

}  // namespace throng::gpu
