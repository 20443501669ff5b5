// Measures suppression of boxes in a backend's buffers, for `nms --repeat`, `bench nms` and the experiments.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "app/lab/measure/samples.h"
#include "core/detect/backend.h"

namespace throng {

struct NmsMeasurement {
    RunTimes calls;   // of enqueue and, on CUDA, the download of the kept boxes, one call right after the other
    Samples replays;  // of the engine's own replay in device memory (a CUDA graph); empty: the engine has none
    Samples cold;     // as calls, each after kNmsRest without work
    std::optional<std::uint64_t> pair_tests;  // of one run, if the engine counts them
    DetectionSet kept;

    // From raw to kept detections, as fast as the engine can: the replays, otherwise the calls.
    [[nodiscard]] const Samples& total() const { return replays.empty() ? calls.total : replays; }
};

// How often each kind of run is measured, after a warm-up.
struct NmsRepeats {
    int runs = 0;            // 0: as many as fit into budget_ms
    double budget_ms = 500;  // per setting, for calls and again for replays
    int cold = 0;            // cold calls; 0: none
};

// The pause before a cold call: that of a camera with 30 frames per second.
inline constexpr std::chrono::milliseconds kNmsRest{30};

// `kept` holds the result afterwards.
[[nodiscard]] NmsMeasurement measure_nms(Backend& backend, Nms& nms, const DetectionBuffer& raw, DetectionBuffer& kept,
                                         const NmsParams& params, const NmsRepeats& repeats);

// The same in buffers of `capacity` detections that hold the boxes.
[[nodiscard]] NmsMeasurement measure_nms(Backend& backend, const DetectionSet& boxes, std::int32_t capacity,
                                         const NmsParams& params, const NmsRepeats& repeats);

// Returns the capacity of the program's buffers once they have grown to this number of raw detections.
[[nodiscard]] std::int32_t program_capacity(std::size_t boxes);

}  // namespace throng
