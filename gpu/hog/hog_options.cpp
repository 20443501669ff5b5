#include "gpu/hog/hog_options.h"

#include <algorithm>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

// A switch of two choices; the first is the default, and stands for `first` in the options.
struct Choice {
    const char* id;
    const char* title;
    const char* help;
    const char* names[2];
    bool HogOptions::*option;
    bool first;
};

constexpr Choice kChoices[] = {
    {"work",
     "Several results a thread",
     "A thread makes 4 pixels, 3 bins or 4 windows, so that what it reads serves all of them",
     {"several", "one"},
     &HogOptions::several,
     true},
    {"arctangent",
     "Approximate arc tangent",
     "A polynomial, off by at most 0.0112 degrees, in place of the library's function",
     {"polynomial", "exact"},
     &HogOptions::exact,
     false},
    {"unroll",
     "Loops written out",
     "Kernels specialized for these cells, blocks and windows: constant weights, wide loads, no counting",
     {"on", "off"},
     &HogOptions::unrolled,
     true},
    {"scales",
     "All scales in one launch",
     "Small levels alone leave the device nearly empty",
     {"together", "apart"},
     &HogOptions::together,
     true},
    {"graph",
     "CUDA graph",
     "A frame's launches replayed with one call; its stages have one time then",
     {"off", "on"},
     &HogOptions::graph,
     false},
};

}  // namespace

HogOptions hog_options(const DetectorParams& params) {
    HogOptions options;
    options.half = params.half;
    for (const auto& [id, chosen] : params.switches) {
        const auto choice =
            std::find_if(std::begin(kChoices), std::end(kChoices), [&id = id](const Choice& c) { return id == c.id; });
        if (choice == std::end(kChoices)) {
            std::string known;
            for (const Choice& c : kChoices) known += (known.empty() ? "" : ", ") + std::string(c.id);
            throw Error(ErrorKind::usage, "the people detector has no such switch", id, "take " + known);
        }
        if (chosen != choice->names[0] && chosen != choice->names[1]) {
            throw Error(ErrorKind::usage, "has no such choice", id + "=" + chosen,
                        std::string("take ") + choice->names[0] + " or " + choice->names[1]);
        }
        options.*choice->option = (chosen == choice->names[0]) == choice->first;
    }
    return options;
}

std::vector<DetectorSwitch> hog_switches(const HogOptions& options) {
    std::vector<DetectorSwitch> switches;
    for (const Choice& c : kChoices) {
        const bool first = options.*c.option == c.first;
        switches.push_back({c.id, c.title, c.help, {c.names[0], c.names[1]}, c.names[first ? 0 : 1]});
    }
    return switches;
}

}  // namespace throng::gpu
