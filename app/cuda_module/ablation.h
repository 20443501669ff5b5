// Ablation of the CUDA cascades and of the CUDA people detector.
#pragma once

#include "app/cuda_module/cuda_module.h"

namespace throng {

// params.kind selects the detector. Throws Error(unavailable) if the device is unusable.
[[nodiscard]] std::vector<CudaAblationStep> cuda_ablation(const Frame& frame, const DetectorParams& params, int device,
                                                          int repeats,
                                                          const std::function<void(const std::string&)>& show_step);

}  // namespace throng
