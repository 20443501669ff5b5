// An optimization of a detector that can be turned off, so that its gain can be measured and seen.
#pragma once

#include <string>
#include <vector>

namespace throng {

struct DetectorSwitch {
    std::string id;                    // "segments": what DetectorParams::switches calls it
    std::string title;                 // "Stages in segments"
    std::string help;                  // one sentence: what it saves
    std::vector<std::string> choices;  // the first is the default; {"on", "off"} is shown as a toggle
    std::string chosen;                // one of choices
};

}  // namespace throng
