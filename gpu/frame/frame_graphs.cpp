#include "gpu/frame/frame_graphs.h"

#include <algorithm>
#include <tuple>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/detect/null_recorder.h"
#include "gpu/runtime/event_recorder.h"

namespace throng::gpu {
namespace {

// A decoder has up to about 25 addresses, and two frames are in flight.
constexpr std::size_t kMaxGraphs = 128;

bool same_span(const DetectionSpan& a, const DetectionSpan& b) {
    const auto all = [](const DetectionSpan& s) {
        return std::tuple(s.boxes, s.scores, s.hits, s.source, s.count, s.capacity, s.density, s.features,
                          s.feature_size, s.landmarks);
    };
    return all(a) == all(b);
}

// Captures the work and uploads the graph. Returns an empty graph, and logs why, if either fails: launch the work then.
Graph try_capture(StreamView stream, const std::function<void()>& work) {
    try {
        Graph graph = Graph::capture(stream, work);
        graph.upload(stream);
        return graph;
    } catch (const Error& error) {
        logger().debug("work is launched without a graph: {}", error.what());
        return {};
    }
}

}  // namespace

bool FrameGraphs::measures(const StageRecorder& recorder) {
    return dynamic_cast<const EventRecorder*>(&recorder) != nullptr;
}

FrameGraphs::Entry* FrameGraphs::find(const Key& key) {
    ++frames_;
    for (Entry& entry : graphs_) {
        const Key& known = entry.key;
        const bool same = known.frame == key.frame && same_span(known.raw, key.raw) && known.variant == key.variant &&
                          same_span(known.kept, key.kept) && known.next == key.next;
        if (!same) continue;
        entry.used = frames_;
        return &entry;
    }
    if (graphs_.size() == kMaxGraphs) {
        graphs_.erase(std::min_element(graphs_.begin(), graphs_.end(),
                                       [](const Entry& a, const Entry& b) { return a.used < b.used; }));
    }
    graphs_.push_back({key, {}, frames_});
    return nullptr;
}

bool FrameGraphs::capture(Entry& entry, StreamView stream, const std::function<void(StageRecorder&)>& launch) {
    if (entry.graph) return true;
    NullRecorder none;
    entry.graph = try_capture(stream, [&] { launch(none); });
    if (entry.graph) return true;
    usable_ = false;
    graphs_.clear();
    return false;
}

}  // namespace throng::gpu
