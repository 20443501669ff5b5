// Launchers of the cascade's kernels. Other code calls CascadeDetector.
#pragma once

#include "gpu/cascade/cascade_options.h"
#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/first_stages.h"
#include "gpu/cascade/windows.h"

namespace throng::gpu {

// Stages [first, last) of one launch. All but the first segment read queue; all but the last write next.
struct Segment {
    int number = 0;
    int first = 0, last = 0;
    const QueuedWindow* queue = nullptr;
    QueuedWindow* next = nullptr;
    std::uint32_t capacity = 0;  // windows that each of both holds
};

// Selects the kernel instances for a model.
struct KernelChoice {
    CascadeKind kind;
    int nodes_per_tree;  // 1, 2 or 0: any
    Features features;
    int multiprocessors;
};

// With a stride: evaluates the coarse windows; those that pass the segment request their neighborhood.
void launch_coarse_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const WindowTile* tiles, const Segment& segment,
                           StreamView stream);

// Evaluates every window of the group: the first segment.
void launch_all_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                        const WindowGroup& group, const WindowTile* tiles, const Segment& segment, StreamView stream);

// The same with one thread per pair of windows. The group's tiles are those of pairs. max_step: of the levels.
void launch_window_pairs(const PairTables& tables, const KernelChoice& choice, const CascadeTables& cascade,
                         const WindowTask& task, const WindowGroup& group, const WindowTile* tiles,
                         const Segment& segment, int max_step, StreamView stream);

// Evaluates windows from a queue, one thread per window. last: reports them as raw detections.
void launch_queued_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const Segment& segment, bool last, StreamView stream);

// The last segment with one warp per window; requires cascade.tail_entries > 0.
void launch_tail(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                 const WindowGroup& group, const Segment& segment, StreamView stream);

}  // namespace throng::gpu
