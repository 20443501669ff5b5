// The launches of a frame as CUDA graphs, one for each pair of source address and detection buffer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/detect/detection_buffer.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Holds the most recently used graphs: the frames of a decoder use few addresses. Not thread-safe.
class FrameGraphs {
public:
    // Replays the launches for these addresses on the stream. For new addresses it first captures enqueue(), which
    // enqueues them on that stream. Does not synchronize.
    template <typename Enqueue>
    void launch(StreamView stream, const DeviceImage& frame, const DetectionSpan& raw, Enqueue&& enqueue) {
        const Graph* graph = find(frame, raw);
        if (graph == nullptr) {
            graph = &keep(frame, raw, Graph::capture(stream, std::forward<Enqueue>(enqueue)));
        }
        graph->launch(stream);
    }

    // Call whenever the launches for the same addresses would change.
    void clear() { graphs_.clear(); }

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
};

}  // namespace throng::gpu
