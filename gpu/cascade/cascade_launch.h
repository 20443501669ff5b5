// Launchers of the cascade's kernels. Other code calls CascadeDetector.
#pragma once

#include <cstddef>

#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/first_stages.h"
#include "gpu/cascade/windows.h"

namespace throng::gpu {

// Arguments that the launches of a frame share, or those of some of its levels.
struct CascadeLaunch {
    CascadeTables cascade;
    WindowTask task;
    WindowTiles tiles;  // of all windows
    int multiprocessors;
    StreamView stream;
};

// The first segment: evaluates `stages` stages of every window of the tiles, with one thread per pair of windows. The
// tiles are those of pairs.
void launch_window_pairs(const CascadeLaunch& work, const PairTables& tables, int stages, const WindowQueue& next);

// The same with one thread per window, for models without first stages for pairs.
void launch_all_windows(const CascadeLaunch& work, int stages, const WindowQueue& next);

// The last segment, from stage `first` on: reports windows of the queue as raw detections. With one warp per pair of
// windows; requires has_tail.
void launch_tail(const CascadeLaunch& work, const WindowQueue& queue, int first);

// Tests if the model has tables for the tail, and a block's sums fit its shared memory: max bytes, as in DeviceInfo.
[[nodiscard]] bool has_tail(const CascadeTables& cascade, std::size_t shared_memory);

// The same with one thread per window. first: may be the number of stages.
void launch_queued_windows(const CascadeLaunch& work, const WindowQueue& queue, int first);

}  // namespace throng::gpu
