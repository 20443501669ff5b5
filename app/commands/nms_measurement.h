// Measures suppression on boxes that lie in a backend's buffer, for `nms --repeat` and `bench nms`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/backend.h"

namespace throng {

// Milliseconds; each list has a sample a run, ascending.
struct NmsMeasurement {
    std::vector<double> total;                          // detections in, kept ones out
    std::map<std::string, std::vector<double>> stages;  // a stage that did not run has no entry
    std::optional<std::uint64_t> pair_tests;            // of one run, where the engine counts them
    bool replayed =
        false;  // total is of the engine's own replay (a CUDA graph); else of enqueue and, on CUDA, download
};

// The stages that ran in any of them.
[[nodiscard]] std::vector<std::string> stages_of(const std::vector<const NmsMeasurement*>& measurements);

// What is to be said about a stage whose name tells of several things; or nothing.
[[nodiscard]] std::string_view note_on(const std::string& stage);

// Runs once to warm up, then `repeats` times. `kept` holds the result afterwards.
[[nodiscard]] NmsMeasurement measure_nms(Backend& backend, Nms& nms, const DetectionBuffer& raw, DetectionBuffer& kept,
                                         const NmsParams& params, int repeats);

}  // namespace throng
