// The optimizations one on top of the other, each measured: what every single one gains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/cascade/cascade_detector.h"

namespace throng::gpu {

struct AblationStep {
    std::string name;  // "base", "segments", …: what this step adds to the one before
    CascadeOptions options;
};

// From everything switched off to the defaults, then the steps that look at fewer windows: the mask and the stride.
[[nodiscard]] std::vector<AblationStep> cascade_ablation();

// A frame copied to device memory, as a decoder of the device gives it: NV12, or gray where the frame has no chroma.
[[nodiscard]] Frame device_frame(const Frame& frame, StreamView stream);

struct CascadeTimes {
    std::vector<double> ms;  // of each frame, gray image in device memory to raw detections
    std::uint32_t detections = 0;
    std::int64_t windows = 0;  // candidates on all levels
    CascadeDetector::Counts counts;
};

// Runs the detector on the frame, a pair of events around every `inner` frames. Waits.
[[nodiscard]] CascadeTimes measure_cascade(CascadeDetector& detector, const Frame& frame, StreamView stream,
                                           int repeats, int inner = 10);

}  // namespace throng::gpu
