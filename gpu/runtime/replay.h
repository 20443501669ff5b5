// Measures work by replaying it from a graph.
#pragma once

#include <functional>
#include <vector>

#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Milliseconds of one run of what work() enqueues on the stream, `repeats` times. Each is the time of one launch of a
// graph that holds the work `inner` times over, divided by that, because launching a graph takes longer than a small
// kernel. Warm-up is not part of the times. Waits for the stream.
[[nodiscard]] std::vector<double> time_replays(StreamView stream, int repeats, const std::function<void()>& work,
                                               int inner = 20);

}  // namespace throng::gpu
