#include "gpu/runtime/replay.h"

#include <algorithm>

namespace throng::gpu {

std::vector<double> time_replays(StreamView stream, int repeats, const std::function<void()>& work, int inner) {
    constexpr int kWarmUp = 3;
    const Graph graph = Graph::capture(stream, [&] {
        for (int i = 0; i < inner; ++i) work();
    });
    for (int i = 0; i < kWarmUp; ++i) graph.launch(stream);
    const Event begin;
    const Event end;
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(std::max(repeats, 0)));
    for (int r = 0; r < repeats; ++r) {
        begin.record(stream);
        graph.launch(stream);
        end.record(stream);
        end.synchronize();
        times.push_back(Event::elapsed_ms(begin, end) / inner);
    }
    return times;
}

}  // namespace throng::gpu
