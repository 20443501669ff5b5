// Launchers of the cascade's kernels. Other code calls CascadeDetector.
#pragma once

#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/first_stages.h"
#include "gpu/cascade/windows.h"

namespace throng::gpu {

// Selects the kernel instances for a model.
struct KernelChoice {
    CascadeKind kind;
    int nodes_per_tree;  // 1, 2 or 0: any
    int multiprocessors;
};

// The first segment: evaluates `stages` stages of every window of the tiles, with one thread per pair of windows. The
// tiles are those of pairs. max_step: of the levels.
void launch_window_pairs(const PairTables& tables, const KernelChoice& choice, const CascadeTables& cascade,
                         const WindowTask& task, const WindowTiles& tiles, int stages, const WindowQueue& next,
                         int max_step, StreamView stream);

// The same with one thread per window, for models without first stages for pairs.
void launch_all_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                        const WindowTiles& tiles, int stages, const WindowQueue& next, StreamView stream);

// The last segment, from stage `first` on: reports windows of the queue as raw detections. With one warp per pair of
// windows; requires cascade.tail_entries > 0.
void launch_tail(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                 const WindowQueue& queue, int first, StreamView stream);

// The same with one thread per window. first: may be the number of stages.
void launch_queued_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowQueue& queue, int first, StreamView stream);

}  // namespace throng::gpu
