// Measures a graph by replaying it.
#pragma once

#include <vector>

#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Milliseconds of each of `repeats` replays. Each is timed by a pair of events around `inner` replays of a row, divided by
// their number, because an event itself takes about as long as a small kernel. Waits for the stream.
[[nodiscard]] std::vector<double> time_replays(const Graph& graph, StreamView stream, int repeats, int inner = 20);

}  // namespace throng::gpu
