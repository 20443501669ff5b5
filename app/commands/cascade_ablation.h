// The optimizations of the CUDA cascade, one on top of the other, measured on one frame.
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
    std::string step;      // what it adds to the row before
    double median_ms = 0;  // gray image in device memory to raw detections
    double least_ms = 0;
    double step_gain = 1;              // of the row before's median over this one's
    double gain = 1;                   // of the first row's
    std::int64_t windows = 0;          // candidates on all levels
    std::vector<std::int64_t> queued;  // windows that left each segment but the last
    std::int64_t spilled = 0;          // of these, how many found a queue full
    std::uint32_t detections = 0;
};

// Rows of one setting. done is told after each. Throws Error(unavailable) where this build has no CUDA or the device
// cannot be used.
[[nodiscard]] std::vector<AblationRow> measure_ablation(const Frame& frame, const std::string& setting,
                                                        const DetectorParams& params, int device, int repeats,
                                                        const std::function<void()>& done);

[[nodiscard]] TextTable ablation_table(const std::vector<AblationRow>& rows);
[[nodiscard]] nlohmann::json ablation_json(const std::vector<AblationRow>& rows);
// Steps of a setting: how often done is called.
[[nodiscard]] int ablation_steps();

}  // namespace throng
