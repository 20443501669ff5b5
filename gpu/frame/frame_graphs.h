// The launches of a frame as graphs, one for each pair of addresses that a frame comes from and its detections go to.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/detect/detection_buffer.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Holds a few graphs, those used last: the frames of a decoder come back at few addresses. Not thread-safe.
class FrameGraphs {
public:
    // Replays the launches for these addresses on the stream; enqueue(), which enqueues them there, is captured first
    // where they are new. Does not synchronize.
    template <typename Enqueue>
    void launch(StreamView stream, const DeviceImage& frame, const DetectionSpan& raw, Enqueue&& enqueue) {
        const Graph* graph = find(frame, raw);
        if (graph == nullptr) {
            graph = &keep(frame, raw, Graph::capture(stream, std::forward<Enqueue>(enqueue)));
        }
        graph->launch(stream);
    }

    // To be called whenever the launches for the same addresses would be others.
    void clear() { graphs_.clear(); }

private:
    struct Entry {
        DeviceImage frame;
        DetectionSpan raw;
        Graph graph;
        std::uint64_t used;  // the frame that used it last
    };

    [[nodiscard]] const Graph* find(const DeviceImage& frame, const DetectionSpan& raw);
    const Graph& keep(const DeviceImage& frame, const DetectionSpan& raw, Graph graph);

    std::vector<Entry> graphs_;
    std::uint64_t frames_ = 0;
};

}  // namespace throng::gpu
