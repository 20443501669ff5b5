// The first segment: a thread for every window of every level, a warp for 32 neighbours of a row.
#include <cuda_runtime.h>

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/select.cuh"
#include "gpu/cascade/window_rules.cuh"

namespace throng::gpu {
namespace {

struct TileWindow {
    int column, row;
    bool inside;
};

__device__ TileWindow window_of_thread(const WindowTile& tile, const CascadeLevel& level) {
    const int column = tile.column + static_cast<int>(threadIdx.x) % kTileColumns;
    const int row = tile.row + static_cast<int>(threadIdx.x) / kTileColumns;
    return {column, row, column < level.columns && row < level.rows};
}

template <typename F>
__global__ void __launch_bounds__(kTileThreads)
    all_windows_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, const WindowTile* tiles,
                       Segment segment) {
    const WindowTile tile = tiles[group.first_tile + blockIdx.x];
    const WindowLevel& level = task.levels[tile.level];
    const auto [column, row, inside] = window_of_thread(tile, level.level);
    const int lane = threadIdx.x % 32;
    const int word = level.first_word + row * level.words + column / 32;
    const bool row_inside = row < level.level.rows;

    bool alive = inside;
    if (task.wanted != nullptr && row_inside) {
        const std::uint32_t wanted = task.wanted[word];
        __syncwarp();
        if (lane == 0 && wanted != 0) task.wanted[word] = 0;
        alive = alive && (wanted >> lane & 1U) != 0;
    }
    if (alive && task.pyramid.mask >= 0) alive = in_mask(task, level, column, row);

    QueuedWindow window{corner_entry(task, level, column, row), 0.0F, 0.0};
    const std::uint32_t* at = task.pyramid.sums + window.at;
    bool fell = false;
    if (alive) {
        window.norm = norm_of(cascade, task.pyramid, at);
        alive = window.norm != 0.0F;
    }
    if (alive && segment.last > 0) {
        const double sum = F::stage_sum(cascade, task.pyramid, 0, at, window.norm);
        const float threshold = __ldg(&cascade.stages[0].threshold);
        fell = sum < static_cast<double>(threshold);
        window.margin += stage_margin(0, cascade.geometry.stage_count, sum, threshold);
        alive = !fell;
    }
    // With a stride every wanted window is visited: its neighbours have not all been looked at.
    const unsigned falls = task.wanted == nullptr ? __ballot_sync(kWholeWarp, fell) : 0;
    if (row_inside && lane == 0) task.fell[word] = falls;
    // A skipped window is dropped here where the run of falls before it starts in this word; else report() finds out.
    const int run = run_below(falls, lane);
    if ((run < lane || column < 32) && run % 2 != 0) alive = false;

    if (alive) alive = passes<F>(cascade, task.pyramid, 1, segment.last, at, window.norm, window.margin);
    push(task, segment.next, &group.counters->queued[segment.number], &group.counters->spilled, alive, window);
}

template <typename F>
__global__ void __launch_bounds__(kTileThreads)
    coarse_windows_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, const WindowTile* tiles,
                          Segment segment) {
    const WindowTile tile = tiles[group.first_tile + blockIdx.x];
    const WindowLevel& level = task.levels[tile.level];
    const auto [column, row, inside] = window_of_thread(tile, level.level);
    const int stride = task.stride;
    if (!inside || column % stride != 0 || row % stride != 0) return;
    if (task.pyramid.mask >= 0 && !in_mask(task, level, column, row)) return;
    const std::uint32_t* at = task.pyramid.sums + corner_entry(task, level, column, row);
    const float norm = norm_of(cascade, task.pyramid, at);
    double margin = 0.0;
    if (norm == 0.0F || !passes<F>(cascade, task.pyramid, 0, segment.last, at, norm, margin)) return;
    for (int y = max(row - stride + 1, 0); y < min(row + stride, level.level.rows); ++y) {
        for (int x = max(column - stride + 1, 0); x < min(column + stride, level.level.columns); ++x) {
            atomicOr(task.wanted + level.first_word + y * level.words + x / 32, 1U << (x % 32));
        }
    }
}

}  // namespace

void launch_all_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                        const WindowGroup& group, const WindowTile* tiles, const Segment& segment, StreamView stream) {
    if (group.end_tile <= group.first_tile) return;
    select_features(choice, [&](auto features) {
        using F = decltype(features);
        all_windows_kernel<F>
            <<<group.end_tile - group.first_tile, kTileThreads, 0, stream>>>(cascade, task, group, tiles, segment);
    });
    check_launch("all_windows_kernel", stream);
}

void launch_coarse_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const WindowTile* tiles, const Segment& segment,
                           StreamView stream) {
    if (group.end_tile <= group.first_tile) return;
    select_features(choice, [&](auto features) {
        using F = decltype(features);
        coarse_windows_kernel<F>
            <<<group.end_tile - group.first_tile, kTileThreads, 0, stream>>>(cascade, task, group, tiles, segment);
    });
    check_launch("coarse_windows_kernel", stream);
}

}  // namespace throng::gpu
