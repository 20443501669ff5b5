// Measures work on a stream with events: of calls, and of a replayed CUDA graph.
#pragma once

#include <functional>
#include <vector>

#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Returns `repeats` samples of the time in milliseconds of the work that work() enqueues on the stream, with a pair of
// events around every `inner` calls, one enqueued right after the other; each sample is divided by `inner`. Warm-up calls
// are not included. Waits for the stream.
[[nodiscard]] std::vector<double> time_calls(StreamView stream, int repeats, const std::function<void()>& work,
                                             int inner = 10);

// Returns `repeats` samples of the time in milliseconds of the work that work() enqueues on the stream. The graph holds
// the work `inner` times, because launching a graph takes longer than a small kernel; each sample is divided by
// `inner`. Warm-up runs are not included. Waits for the stream.
[[nodiscard]] std::vector<double> time_replays(StreamView stream, int repeats, const std::function<void()>& work,
                                               int inner = 20);

}  // namespace throng::gpu
