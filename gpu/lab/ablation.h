// The ablation: optimizations are added one by one, and each configuration is measured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/lab/cascade_steps.h"
#include "gpu/lab/hog_steps.h"

namespace throng::gpu {

struct AblationStep {
    std::string name;  // "base", "segments", …: the switch that this step adds
    DetectorParams params;
};

// Return the steps from everything disabled to the defaults; then, for cascades, those that evaluate fewer windows: mask
// and stride; for HOG 16 bits. base: kind, sizes and factor.
[[nodiscard]] std::vector<AblationStep> cascade_ablation(DetectorParams base);
[[nodiscard]] std::vector<AblationStep> hog_ablation(DetectorParams base);

// Returns a frame copied to device memory, in the format of a hardware decoder: NV12, or gray if it has no chroma.
[[nodiscard]] Frame device_frame(const Frame& frame, StreamView stream);

struct CascadeTimes {
    std::vector<double> ms;  // per frame, from gray image in device memory to raw detections
    std::uint32_t detections = 0;
    std::int64_t windows = 0;          // candidates on all levels
    std::vector<std::int64_t> queued;  // windows that passed each segment except the last
};

// Runs the detector on the frame, with a pair of events around every `inner` frames. Waits.
[[nodiscard]] CascadeTimes measure_cascade(CascadeSteps& detector, const Frame& frame, StreamView stream, int repeats,
                                           int inner = 10);

struct HogTimes {
    std::vector<double> ms;                      // per frame, from luma in device memory to raw detections
    std::array<std::vector<double>, 4> kernels;  // per kernel alone, in the order of kHogKernels
    std::uint32_t detections = 0;
    std::int64_t windows = 0;  // on all levels
    std::size_t memory = 0;    // bytes of device memory
};

// Measures frames with a pair of events around every 20, and kernels by replay. frame must be in device memory. Waits.
[[nodiscard]] HogTimes measure_hog(HogDetector& detector, const Frame& frame, StreamView stream, int repeats);

}  // namespace throng::gpu
