// The switches of the CUDA people detector: the optimizations of M. Lv, B. Zhao, High Performance Pedestrian Detection
// on Tegra X1 (GTC 2016), and two additional ones.
#pragma once

#include <vector>

#include "core/detect/detector.h"

namespace throng::gpu {

struct HogOptions {
    bool half = false;       // 16-bit gradients, votes and block values; sums stay 32-bit
    bool several = true;     // a thread computes 4 pixels, 3 bins or 4 windows instead of one
    bool polynomial = true;  // instead of the library's arc tangent
    bool unrolled = true;    // loops unrolled for these cells, blocks and windows, with vector loads
    bool together = true;    // all levels in one launch of each kernel instead of one launch per level
    bool graph = true;       // a frame's launches as one CUDA graph, except where stages are measured

    friend bool operator==(const HogOptions&, const HogOptions&) = default;
};

// Converts params.switches and params.half. Throws Error(usage) for an unknown switch or choice, with the valid ones.
[[nodiscard]] HogOptions hog_options(const DetectorParams& params);

// Returns the switches with their current choices.
[[nodiscard]] std::vector<DetectorSwitch> hog_switches(const HogOptions& options);

}  // namespace throng::gpu
