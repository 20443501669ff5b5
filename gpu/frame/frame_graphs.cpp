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

auto members_of(const DetectionSpan& s) {
    return std::tuple(s.boxes, s.scores, s.hits, s.source, s.count, s.capacity, s.density, s.features, s.feature_size,
                      s.landmarks);
}

}  // namespace

bool FrameGraphs::measures(const StageRecorder& recorder) {
    return dynamic_cast<const EventRecorder*>(&recorder) != nullptr;
}

FrameGraphs::Entry* FrameGraphs::find(const Key& key) {
    ++frames_;
    for (Entry& entry : graphs_) {
        const Key& known = entry.key;
        const bool same = known.frame == key.frame && members_of(known.raw) == members_of(key.raw) &&
                          known.variant == key.variant && members_of(known.kept) == members_of(key.kept) &&
                          known.next == key.next;
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
    try {
        entry.graph = Graph::capture(stream, [&] { launch(none); });
        entry.graph.upload(stream);
        return true;
    } catch (const Error& error) {
        logger().debug("work is launched without a graph: {}", error.what());
    }
    usable_ = false;
    graphs_.clear();
    return false;
}

}  // namespace throng::gpu
