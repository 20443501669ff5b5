// The kernels of HOG in the forms that a switch selects: one result per thread, rolled loops, the exact arc tangent.
#pragma once

#include <memory>

#include "gpu/hog/hog_detector.h"

namespace throng::gpu {

// Returns hog_kernels, with those replaced whose switches are not at their defaults.
[[nodiscard]] HogKernels hog_step_kernels(const HogOptions& options);

// Creates the detector for params.kind hog, with all switches.
[[nodiscard]] std::unique_ptr<Detector> make_hog_detector(StreamView stream, const DeviceInfo& device,
                                                          const DetectorParams& params);

}  // namespace throng::gpu
