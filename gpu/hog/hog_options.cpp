#include "gpu/hog/hog_options.h"

#include <algorithm>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

// A switch with two choices. The first is the default and corresponds to the value `first` of the option.
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
     "Results per thread",
     "A thread computes 4 pixels, 3 bins or 4 windows, so that each value read is used several times.",
     {"several", "one"},
     &HogOptions::several,
     true},
    {"arctangent",
     "Approximate arc tangent",
     "A polynomial with an error of at most 0.0112 degrees replaces the library's function.",
     {"polynomial", "exact"},
     &HogOptions::exact,
     false},
    {"unroll",
     "Unrolled loops",
     "Kernels are specialized for these cells, blocks and windows: constant weights, wide loads, no loop counters.",
     {"on", "off"},
     &HogOptions::unrolled,
     true},
    {"scales",
     "All scales in one launch",
     "Small levels alone leave the device nearly idle.",
     {"together", "apart"},
     &HogOptions::together,
     true},
    {"graph",
     "CUDA graph",
     "A frame's launches, up to the copy of its detections, are replayed with one call, except where stages are "
     "measured.",
     {"on", "off"},
     &HogOptions::graph,
     true},
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
            throw Error(ErrorKind::usage, "unknown detector switch", id, "use one of " + known);
        }
        if (chosen != choice->names[0] && chosen != choice->names[1]) {
            throw Error(ErrorKind::usage, "unknown choice", id + "=" + chosen,
                        std::string("use ") + choice->names[0] + " or " + choice->names[1]);
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
