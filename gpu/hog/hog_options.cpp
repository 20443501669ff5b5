#include "gpu/hog/hog_options.h"

#include "gpu/frame/switch_table.h"

namespace throng::gpu {
namespace {

const SwitchTable<HogOptions>& table() {
    static const SwitchTable<HogOptions> rows = {
        switch_row<&HogOptions::several>(
            {"work",
             "Results per thread",
             "A thread computes 4 pixels, 3 bins or 4 windows, so that each value read is used several times.",
             {"several", "one"}}),
        switch_row<&HogOptions::polynomial>(
            {"arctangent",
             "Approximate arc tangent",
             "A polynomial with an error of at most 0.0112 degrees replaces the library's function.",
             {"polynomial", "exact"}}),
        switch_row<&HogOptions::unrolled>({"unroll",
                                           "Unrolled loops",
                                           "Kernels are specialized for these cells, blocks and windows: constant "
                                           "weights, wide loads, no loop counters.",
                                           {"on", "off"}}),
        switch_row<&HogOptions::together>({"scales",
                                           "All scales in one launch",
                                           "Small levels alone leave the device nearly idle.",
                                           {"together", "apart"}}),
        graph_switch<&HogOptions::graph>(),
    };
    return rows;
}

}  // namespace

HogOptions hog_options(const DetectorParams& params) {
    HogOptions options;
    options.half = params.half;
    return with_choices(table(), options, params.switches);
}

std::vector<DetectorSwitch> hog_switches(const HogOptions& options) {
    return describe(table(), options);
}

}  // namespace throng::gpu
