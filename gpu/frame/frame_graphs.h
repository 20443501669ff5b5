// The launches of a frame as CUDA graphs, one for each pair of source address and detection buffer.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detect/detection_buffer.h"
#include "core/detect/null_recorder.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Holds the most recently used graphs: the frames of a decoder use few addresses. Not thread-safe.
class FrameGraphs {
public:
    // Enqueues the launches for these addresses on the stream: enqueue(recorder). From the second time on it replays
    // them as `stage`, if `use`; for new addresses it captures them first. Does not synchronize.
    template <typename Enqueue>
    void run(StreamView stream, bool use, std::string_view stage, const DeviceImage& frame, const DetectionSpan& raw,
             StageRecorder& recorder, Enqueue&& enqueue) {
        if (!std::exchange(warm_, true) || !use) return enqueue(recorder);
        const ScopedStage replay(recorder, stage);
        const Graph* graph = find(frame, raw);
        NullRecorder none;
        if (graph == nullptr) graph = &keep(frame, raw, Graph::capture(stream, [&] { enqueue(none); }));
        graph->launch(stream);
    }

    // Call whenever the launches for the same addresses would change.
    void clear() {
        graphs_.clear();
        warm_ = false;
    }

private:
    struct Entry {
        DeviceImage frame;
        DetectionSpan raw;
        Graph graph;
        std::uint64_t used;  // number of the last frame that used it
    };

    [[nodiscard]] const Graph* find(const DeviceImage& frame, const DetectionSpan& raw);
    const Graph& keep(const DeviceImage& frame, const DetectionSpan& raw, Graph graph);

    std::vector<Entry> graphs_;
    std::uint64_t frames_ = 0;
    bool warm_ = false;  // the launches ran once: a graph does not pay off for a single image
};

}  // namespace throng::gpu
