// The ablation: optimizations are added one by one, and each configuration is measured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/hog/hog_detector.h"

namespace throng::gpu {

struct HogStep {
    std::string name;  // "base", "scales together", …: the switch that this step adds
    DetectorParams params;
};

// Returns the steps from everything disabled to the defaults, then the graph and 16 bits. base: sizes and factor.
[[nodiscard]] std::vector<HogStep> hog_ablation(const DetectorParams& base);

inline constexpr std::array<std::string_view, 4> kHogKernels{stage::kGradient, stage::kHistogram, stage::kNormalize,
                                                             stage::kSvm};

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
