// Ablation of the CUDA cascades and of the CUDA people detector: their optimizations, added one by one and measured on
// one frame.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cuda_module/cuda_module.h"
#include "app/lab/measure/result_list.h"
#include "app/lab/measure/samples.h"
#include "core/detect/detector.h"

namespace throng {

struct AblationRow : CudaAblationStep {
    std::string setting;
    Samples times;         // of `ms`
    double step_gain = 1;  // median of the previous row divided by this one's
    double gain = 1;       // median of the first row divided by this one's
};

// Returns the rows of one setting; params.kind selects the detector. Calls `show_step` before each row. Throws
// Error(unavailable) without the CUDA module or if the device is unusable.
[[nodiscard]] std::vector<AblationRow> measure_ablation(const Frame& frame, const std::string& setting,
                                                        const DetectorParams& params, int device, int repeats,
                                                        const std::function<void(const std::string&)>& show_step);

// Adds the rows to the results of a bench command.
void add_ablation(ResultList& results, const std::vector<AblationRow>& rows);

}  // namespace throng
