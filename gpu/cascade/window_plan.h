// Everything that depends on the frame size and the detector's parameters: the levels, their pyramid, the tiles of
// windows, bit masks, queues and counters. Built once and used for every frame.
#pragma once

#include <vector>

#include "core/detect/detector.h"
#include "gpu/cascade/cascade_options.h"
#include "gpu/cascade/windows.h"
#include "gpu/frame/pyramid.h"

namespace throng::gpu {

// The properties of a model that a plan depends on.
struct WindowShape {
    int width, height;  // pixels
    bool squares, tilted;
};

class WindowPlan {
public:
    // pairs: the tiles are those of window pairs. queues: 1, or 2 that alternate between the segments. reserved: windows
    // that a queue holds, at least. Waits for the stream. Throws Error(unavailable) if there is not enough device memory.
    WindowPlan(ImageSize frame, const WindowShape& shape, const DetectorParams& params, const CascadeOptions& options,
               bool pairs, int queues, std::int64_t reserved, StreamView stream);

    // Returns true if no window fits: the frame is smaller than the model's window.
    [[nodiscard]] bool empty() const { return levels_.empty(); }
    [[nodiscard]] ImageSize frame() const { return frame_; }
    [[nodiscard]] const Pyramid& pyramid() const { return pyramid_; }

    // Levels that share the kernel launches, from the largest image to the smallest.
    [[nodiscard]] int group_count() const { return static_cast<int>(groups_.size()); }
    [[nodiscard]] const WindowGroup& group(int g) const { return groups_[static_cast<std::size_t>(g)].windows; }
    [[nodiscard]] LevelRange group_levels(int g) const { return groups_[static_cast<std::size_t>(g)].levels; }
    // Returns a queue of queue_capacity(g) windows. turn: less than the number of queues.
    [[nodiscard]] QueuedWindow* queue(int g, int turn) const;
    [[nodiscard]] std::int64_t queue_capacity(int g) const { return groups_[static_cast<std::size_t>(g)].capacity; }

    // Without the raw detections, which change from frame to frame.
    [[nodiscard]] WindowTask task() const;
    [[nodiscard]] const WindowTile* tiles() const { return d_tiles_.data(); }
    [[nodiscard]] ClearWords counters() const;
    // Returns the maximum distance in pixels of a level between windows.
    [[nodiscard]] int max_step() const;
    // Returns the number of windows of all levels, visited or not.
    [[nodiscard]] std::int64_t window_count() const { return window_count_; }
    // Returns the bytes of device memory.
    [[nodiscard]] std::size_t memory() const;
    // Returns those of them that are queues.
    [[nodiscard]] std::size_t queue_memory() const { return queued_.bytes(); }

private:
    struct Group {
        LevelRange levels;
        WindowGroup windows;
        std::int64_t first_queued = 0;  // in queued_
        std::int64_t window_count = 0;
        std::int64_t capacity = 0;  // of a queue
    };

    ImageSize frame_;
    WindowShape shape_;
    int stride_;
    float min_share_;
    std::vector<WindowLevel> levels_;
    Pyramid pyramid_;
    std::vector<Group> groups_;
    std::int64_t window_count_ = 0;
    int word_count_ = 0;
    DeviceBuffer<WindowLevel> d_levels_;
    DeviceBuffer<WindowTile> d_tiles_;
    DeviceBuffer<std::uint32_t> bits_;  // fell and, with a stride, requested
    DeviceBuffer<GroupCounters> counters_;
    DeviceBuffer<QueuedWindow> queued_;
};

}  // namespace throng::gpu
