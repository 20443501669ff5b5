// Measures suppression on boxes that lie in a backend's buffer, for `nms --repeat` and `bench nms`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

// Runs once to warm up, then `repeats` times. `kept` holds the result afterwards.
[[nodiscard]] NmsMeasurement measure_nms(Backend& backend, Nms& nms, const DetectionBuffer& raw, DetectionBuffer& kept,
                                         const NmsParams& params, int repeats);

}  // namespace throng
