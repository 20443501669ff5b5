// The ablation: optimizations are added one by one, and each configuration is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/cascade/cascade_detector.h"

namespace throng::gpu {

struct AblationStep {
    std::string name;  // "base", "segments", …: the switch that this step adds
    CascadeOptions options;
};

// Returns the steps from everything disabled to the defaults, then those that evaluate fewer windows: mask and stride.
[[nodiscard]] std::vector<AblationStep> cascade_ablation();

// Returns a frame copied to device memory, in the format of a hardware decoder: NV12, or gray if it has no chroma.
[[nodiscard]] Frame device_frame(const Frame& frame, StreamView stream);

struct CascadeTimes {
    std::vector<double> ms;  // per frame, from gray image in device memory to raw detections
    std::uint32_t detections = 0;
    std::int64_t windows = 0;          // candidates on all levels
    std::vector<std::int64_t> queued;  // windows that passed each segment except the last
};

// Runs the detector on the frame, with a pair of events around every `inner` frames. Waits.
[[nodiscard]] CascadeTimes measure_cascade(CascadeDetector& detector, const Frame& frame, StreamView stream,
                                           int repeats, int inner = 10);

}  // namespace throng::gpu
