// Everything that depends on the frame size and the detector's parameters: the levels, their pyramid, the tiles of
// windows, bit masks, the queue and its counters. Built once and used for every frame.
#pragma once

#include <vector>

#include "gpu/cascade/windows.h"
#include "gpu/frame/pyramid.h"

namespace throng::gpu {

class WindowPlan {
public:
    // levels: from the largest image to the smallest. pairs: the tiles are those of window pairs. reserved: windows that
    // the queue holds, at least. Waits for the stream. Throws Error(unavailable) if there is not enough device memory.
    WindowPlan(ImageSize frame, const PyramidPlanes& planes, const std::vector<CascadeLevel>& levels, bool pairs,
               std::int64_t reserved, StreamView stream);

    // Returns true if no window fits: the frame is smaller than the model's window.
    [[nodiscard]] bool empty() const { return levels_.empty(); }
    [[nodiscard]] ImageSize frame() const { return frame_; }
    [[nodiscard]] const Pyramid& pyramid() const { return pyramid_; }

    [[nodiscard]] WindowTask task(const DetectionSpan& raw, bool rows_only) const;
    [[nodiscard]] WindowTiles tiles(LevelRange levels) const;
    [[nodiscard]] WindowQueue queue() const;
    // Returns the words that must be 0 at the start of a frame.
    [[nodiscard]] ClearWords clear(const DetectionSpan& raw) const;
    // Returns the number of windows of all levels, visited or not.
    [[nodiscard]] std::int64_t window_count() const { return window_count_; }
    // Returns the bytes of device memory.
    [[nodiscard]] std::size_t memory() const;
    // Returns those of them that are the queue.
    [[nodiscard]] std::size_t queue_memory() const { return queued_.bytes(); }

private:
    ImageSize frame_;
    Pyramid pyramid_;
    std::vector<WindowLevel> levels_;
    std::vector<std::int32_t> first_tile_;  // of each level, and the number of tiles
    std::int32_t max_step_ = 1;
    std::int64_t window_count_ = 0;
    DeviceBuffer<WindowLevel> d_levels_;
    DeviceBuffer<WindowTile> d_tiles_;
    DeviceBuffer<std::uint32_t> bits_;
    DeviceBuffer<QueueCounters> counters_;
    DeviceBuffer<QueuedWindow> queued_;
};

}  // namespace throng::gpu
