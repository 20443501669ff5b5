// Ablation of the CUDA cascade: its optimizations, added one by one and measured on one frame.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/options/table.h"
#include "core/detect/detector.h"

namespace throng {

struct AblationRow {
    std::string setting;
    std::string step;      // what it adds to the previous row
    double median_ms = 0;  // gray image in device memory to raw detections
    double least_ms = 0;
    double step_gain = 1;              // median of the previous row divided by this one's
    double gain = 1;                   // median of the first row divided by this one's
    std::int64_t windows = 0;          // candidates on all levels
    std::vector<std::int64_t> queued;  // windows that passed each segment except the last
    std::int64_t spilled = 0;          // how many of these found a full queue
    std::uint32_t detections = 0;
};

// Returns the rows of one setting. Calls `done` after each. Throws Error(unavailable) where this build has no CUDA or
// the device is unusable.
[[nodiscard]] std::vector<AblationRow> measure_ablation(const Frame& frame, const std::string& setting,
                                                        const DetectorParams& params, int device, int repeats,
                                                        const std::function<void()>& done);

[[nodiscard]] TextTable ablation_table(const std::vector<AblationRow>& rows);
[[nodiscard]] nlohmann::json ablation_json(const std::vector<AblationRow>& rows);
// Returns the number of rows per setting, which is how often `done` is called.
[[nodiscard]] int ablation_steps();

}  // namespace throng
