#include "gpu/runtime/replay.h"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace throng::gpu {

std::vector<double> time_replays(const Graph& graph, StreamView stream, int repeats, int inner) {
    const Event begin;
    const Event end;
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(std::max(repeats, 0)));
    for (int r = 0; r < repeats; ++r) {
        begin.record(stream);
        for (int i = 0; i < inner; ++i) graph.launch(stream);
        end.record(stream);
        end.synchronize();
        times.push_back(Event::elapsed_ms(begin, end) / inner);
    }
    return times;
}

}  // namespace throng::gpu
