// What can be switched on the CUDA people detector: the optimizations of M. Lv, B. Zhao, High Performance Pedestrian
// Detection on Tegra X1 (GTC 2016), and two of our own.
#pragma once

#include <vector>

#include "core/detect/detector.h"

namespace throng::gpu {

struct HogOptions {
    bool half = false;     // 16-bit gradients, votes and block values; sums stay 32-bit
    bool several = true;   // a thread makes 4 pixels, 3 bins or 4 windows; else one
    bool exact = false;    // the library's arc tangent in place of the polynomial
    bool unrolled = true;  // loops written out for these cells, blocks and windows, with their vector loads
    bool together = true;  // all levels in one launch of each kernel; else a level at a time
    bool graph = false;    // a frame's launches as one CUDA graph: one time for all of them

    friend bool operator==(const HogOptions&, const HogOptions&) = default;
};

// Of params.switches and params.half. Throws Error(usage) for an unknown switch or choice, naming the known ones.
[[nodiscard]] HogOptions hog_options(const DetectorParams& params);

// The switches with what is chosen.
[[nodiscard]] std::vector<DetectorSwitch> hog_switches(const HogOptions& options);

}  // namespace throng::gpu
