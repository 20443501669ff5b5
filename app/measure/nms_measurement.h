// Measures suppression of boxes in a backend's buffer, for `nms --repeat` and `bench nms`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/backend.h"

namespace throng {

// Times in milliseconds. Each list has one sample per run, in ascending order.
struct NmsMeasurement {
    std::vector<double> total;                          // from raw to kept detections
    std::map<std::string, std::vector<double>> stages;  // a stage that did not run has no entry
    std::optional<std::uint64_t> pair_tests;            // of one run, if the engine counts them
    // true: total is of the engine's own replay (a CUDA graph); false: of enqueue and, on CUDA, download
    bool replayed = false;
};

// Returns the names of the stages that ran in any of the measurements.
[[nodiscard]] std::vector<std::string> stages_of(const std::vector<const NmsMeasurement*>& measurements);

// Returns a note on a stage whose name covers several steps; empty for other stages.
[[nodiscard]] std::string_view note_on(const std::string& stage);

// Runs once to warm up, then `repeats` times. `kept` holds the result afterwards.
[[nodiscard]] NmsMeasurement measure_nms(Backend& backend, Nms& nms, const DetectionBuffer& raw, DetectionBuffer& kept,
                                         const NmsParams& params, int repeats);

}  // namespace throng
