#include "gpu/runtime/replay.h"

#include <algorithm>

namespace throng::gpu {

std::vector<double> time_calls(StreamView stream, int repeats, const std::function<void()>& work, int inner) {
    constexpr int kWarmUp = 3;
    for (int i = 0; i < kWarmUp; ++i) work();
    const Event begin;
    const Event end;
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(std::max(repeats, 0)));
    for (int r = 0; r < repeats; ++r) {
        begin.record(stream);
        for (int i = 0; i < inner; ++i) work();
        end.record(stream);
        end.synchronize();
        times.push_back(Event::elapsed_ms(begin, end) / inner);
    }
    return times;
}

std::vector<double> time_replays(StreamView stream, int repeats, const std::function<void()>& work, int inner) {
    const Graph graph = Graph::capture(stream, [&] {
        for (int i = 0; i < inner; ++i) work();
    });
    std::vector<double> times = time_calls(
        stream, repeats, [&] { graph.launch(stream); }, 1);
    for (double& ms : times) ms /= inner;
    return times;
}

}  // namespace throng::gpu
