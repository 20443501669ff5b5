// Ablation of the CUDA people detector: its kernels, and its optimizations added one by one, measured on one frame.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/options/table.h"
#include "core/detect/detector.h"

namespace throng {

struct HogAblationRow {
    std::string setting;
    std::string step;      // what it adds to the previous row
    double median_ms = 0;  // luma in device memory to raw detections
    double least_ms = 0;
    double step_gain = 1;                                 // median of the previous row divided by this one's
    double gain = 1;                                      // median of the first row divided by this one's
    std::vector<std::pair<std::string, double>> kernels;  // median of each kernel alone, milliseconds
    std::int64_t windows = 0;                             // on all levels
    std::uint32_t detections = 0;
};

// Returns the rows of one setting. Throws Error(unavailable) where this build has no CUDA or the device is unusable.
[[nodiscard]] std::vector<HogAblationRow> measure_hog_ablation(const Frame& frame, const std::string& setting,
                                                               const DetectorParams& params, int device, int repeats);

[[nodiscard]] TextTable hog_ablation_table(const std::vector<HogAblationRow>& rows);
[[nodiscard]] nlohmann::json hog_ablation_json(const std::vector<HogAblationRow>& rows);

}  // namespace throng
