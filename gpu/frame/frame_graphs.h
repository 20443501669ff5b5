// The launches of a frame, from the detector to the readback, as one CUDA graph for each combination of addresses.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/detect/detection_buffer.h"
#include "core/detect/stage.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// What is enqueued on the stream after the detector: suppression and the copy of the detections to the host.
struct FollowingWork {
    std::function<void(StageRecorder&)> enqueue;  // empty: nothing
    DetectionSpan kept{};                         // what it writes
    std::array<std::uint64_t, 3> key{};           // differs if its launches, their arguments or their other memory do
};

// Holds the most recently used graphs: a decoder uses few addresses. Not thread-safe.
class FrameGraphs {
public:
    // Enqueues enqueue(recorder), the detector's launches for these addresses, and `next` on the stream. If `use`, they
    // are captured at the second frame of a combination, and replayed from then on: the first one may allocate memory,
    // and a graph does not pay off for a single image. A frame whose stages are measured is launched. variant: differs
    // if the detector's launches differ for the same addresses. Does not synchronize.
    template <typename Enqueue>
    void run(StreamView stream, bool use, const DeviceImage& frame, const DetectionSpan& raw, std::uint64_t variant,
             StageRecorder& recorder, const FollowingWork& next, Enqueue&& enqueue) {
        const auto launch = [&](StageRecorder& stages) {
            enqueue(stages);
            if (next.enqueue) next.enqueue(stages);
        };
        const bool replays = use && usable_ && !debug_sync() && !measures(recorder);
        Entry* const entry = replays ? find({frame, raw, variant, next.kept, next.key}) : nullptr;
        if (entry == nullptr || !capture(*entry, stream, launch)) return launch(recorder);
        entry->graph.launch(stream);
    }

    // Call whenever the launches for the same addresses would change.
    void clear() { graphs_.clear(); }

    // Returns true if this recorder measures stages: a graph has none.
    [[nodiscard]] static bool measures(const StageRecorder& recorder);

private:
    struct Key {
        DeviceImage frame;
        DetectionSpan raw;
        std::uint64_t variant;
        DetectionSpan kept;
        std::array<std::uint64_t, 3> next;
    };
    struct Entry {
        Key key;
        Graph graph;
        std::uint64_t used;  // number of the last frame that used it
    };

    // Returns null, and adds an entry, at the first frame of a combination.
    [[nodiscard]] Entry* find(const Key& key);
    // Returns false, gives up graphs and logs why, if the launches cannot be captured or there is no memory for the
    // graph.
    [[nodiscard]] bool capture(Entry& entry, StreamView stream, const std::function<void(StageRecorder&)>& launch);

    std::vector<Entry> graphs_;
    std::uint64_t frames_ = 0;
    bool usable_ = true;  // false after a failure: CUDA before 12.3 cannot capture dependent launches
};

}  // namespace throng::gpu
