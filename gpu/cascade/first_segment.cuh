// The first segment of models without first stages for pairs: one thread per window of every level, one warp for 32
// neighbors of a row, sums read through the cache.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/block_windows.cuh"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::single {

constexpr int kWarps = kBlockThreads / 32;

// Evaluates stage 0 of 32 neighbors with one warp: lists the remaining windows and stores the rejections for later
// kernels.
template <typename F, typename Filter>
__device__ void first_stage(const CascadeTables& cascade, const WindowTask& task, const WindowLevel& level,
                            const WindowTile& tile, int tile_row, BlockWindows& windows, const Filter& filter) {
    const int lane = threadIdx.x % 32;
    const int column = tile.column + lane;
    const int row = tile.row + tile_row;
    if (row >= level.level.rows) return;  // the whole warp
    const int word = level.first_word + row * level.words + column / 32;

    bool alive = column < level.level.columns && filter.admits(task, level, column, row);
    QueuedWindow window{corner_entry(task, level, column, row), 0.0F, 0.0};
    const std::uint32_t* at = task.pyramid.sums + window.at;
    const int slot = tile_row * kTileColumns + lane;
    bool fell = false;
    if (alive) {
        window.norm = norm_of(cascade, task.pyramid, at);
        alive = window.norm != 0.0F;
    }
    if (alive) {
        fell = !passes<F>(cascade, task.pyramid, 0, 1, at, window.norm, window.margin);
        alive = !fell;
    }
    const unsigned falls = filter.visits_all() ? 0 : __ballot_sync(kWholeWarp, fell);
    if (lane == 0) task.fell[word] = falls;
    if (is_skipped(falls, lane, tile.column == 0)) alive = false;

    if (alive) windows.window[slot] = window;
    append(windows.list[0], &windows.count[0], alive, slot);
}

// stages: of the segment.
template <typename F, typename Filter>
__global__ void __launch_bounds__(kBlockThreads)
    all_windows_kernel(CascadeTables cascade, WindowTask task, const WindowTile* tiles, int stages, WindowQueue next,
                       const __grid_constant__ Filter filter) {
    __shared__ BlockWindows windows;
    const WindowTile tile = tiles[blockIdx.x];
    const WindowLevel& level = task.levels[tile.level];
    if (threadIdx.x < 3) windows.count[threadIdx.x] = 0;
    __syncthreads();
    for (int row = threadIdx.x / 32; row < kTileRows; row += kWarps) {
        first_stage<F>(cascade, task, level, tile, row, windows, filter);
    }
    __syncthreads();
    const Remaining left = run_stages<F>(cascade, task, windows, 1, stages);
    push(task, next, windows, left);
}

template <typename F, typename Filter>
void launch(const CascadeLaunch& work, int stages, const WindowQueue& next, const Filter& filter) {
    if (work.tiles.count == 0) return;
    LaunchChain(work.stream, false)
        .launch("all_windows_kernel", all_windows_kernel<F, Filter>,
                LaunchSize{static_cast<unsigned>(work.tiles.count), kBlockThreads}, work.cascade, work.task,
                work.tiles.first, stages, next, filter);
}

}  // namespace throng::gpu::single
