// Launchers of the cascade's kernels. CascadeDetector is what others call.
#pragma once

#include "gpu/cascade/cascade_options.h"
#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/windows.h"

namespace throng::gpu {

// Stages [first, last) of one launch. queue is read by all but the first segment; next is written by all but the last.
struct Segment {
    int number = 0;
    int first = 0, last = 0;
    WindowQueue queue, next;
};

// Which instances of the kernels fit a model.
struct KernelChoice {
    CascadeKind kind;
    int nodes_a_tree;  // 1, 2 or 0: any
    Features features;
    bool tiles;  // the first segment from shared memory, where the tables have it
    int multiprocessors;
};

// With a stride: the coarse windows; those that pass the segment want their neighborhood looked at.
void launch_coarse_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const WindowTile* tiles, const Segment& segment,
                           StreamView stream);

// Every window of the group: the first segment.
void launch_all_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                        const WindowGroup& group, const WindowTile* tiles, const Segment& segment, StreamView stream);

// Windows from a queue, a thread each. last: they go to the raw detections, and windows that found a queue full are
// evaluated too.
void launch_queued_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const Segment& segment, bool last, StreamView stream);

// The last segment with a warp a window; cascade.tail_entries > 0.
void launch_tail(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                 const WindowGroup& group, const Segment& segment, StreamView stream);

}  // namespace throng::gpu
