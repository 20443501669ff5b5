// An optimization of a detector that can be switched off to measure its gain.
#pragma once

#include <string>
#include <vector>

namespace throng {

struct DetectorSwitch {
    std::string id;                    // "segments": the key in DetectorParams::switches
    std::string title;                 // "Stages in segments"
    std::string help;                  // one sentence about its gain
    std::vector<std::string> choices;  // the first is the default; {"on", "off"} is shown as a toggle
    std::string chosen;                // one of choices
};

}  // namespace throng
