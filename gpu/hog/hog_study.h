// The optimizations one on top of the other, each measured: what every single one gains.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/hog/hog_detector.h"

namespace throng::gpu {

struct HogStep {
    std::string name;  // "base", "scales together", …: what this step adds to the one before
    DetectorParams params;
};

// From everything switched off to the defaults, then the graph and 16 bits. base: sizes and factor.
[[nodiscard]] std::vector<HogStep> hog_ablation(const DetectorParams& base);

inline constexpr std::array<std::string_view, 4> kHogKernels{stage::kGradient, stage::kHistogram, stage::kNormalise,
                                                             stage::kSvm};

struct HogTimes {
    std::vector<double> ms;                      // of each frame, luma in device memory to raw detections
    std::array<std::vector<double>, 4> kernels;  // of each kernel alone, in the order of kHogKernels
    std::uint32_t detections = 0;
    std::int64_t windows = 0;  // on all levels
    std::size_t memory = 0;    // bytes of device memory
};

// Frames: a pair of events around every `inner`; kernels: replayed. frame must be of device memory. Waits.
[[nodiscard]] HogTimes measure_hog(HogDetector& detector, const Frame& frame, StreamView stream, int repeats,
                                   int inner = 20);

}  // namespace throng::gpu
