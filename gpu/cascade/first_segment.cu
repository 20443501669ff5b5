// The first segment of models without first stages for pairs: one thread per window of every level, one warp for 32
// neighbors of a row, sums read through the cache.
#include <cuda_runtime.h>

#include "gpu/cascade/block_windows.cuh"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/select.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kWarps = kBlockThreads / 32;

// Evaluates stage 0 of 32 neighbors with one warp: lists the remaining windows and stores the rejections for later
// kernels.
template <typename F, typename SumsOf>
__device__ void first_stage(const CascadeTables& cascade, const WindowTask& task, const WindowLevel& level,
                            const WindowTile& tile, int tile_row, BlockWindows& windows, const SumsOf& sums_of) {
    const int lane = threadIdx.x % 32;
    const int column = tile.column + lane;
    const int row = tile.row + tile_row;
    if (row >= level.level.rows) return;  // the whole warp
    const int word = level.first_word + row * level.words + column / 32;

    bool alive = column < level.level.columns;
    if (task.requested != nullptr) {
        const std::uint32_t requested = task.requested[word];
        __syncwarp();
        if (lane == 0 && requested != 0) task.requested[word] = 0;
        alive = alive && (requested >> lane & 1U) != 0;
    }
    if (alive && task.pyramid.mask >= 0) alive = in_mask(task, level, column, row);

    const std::uint32_t entry = corner_entry(task, level, column, row);
    const int slot = tile_row * kTileColumns + lane;
    float norm = 0.0F;
    double margin = 0.0;
    bool fell = false;
    if (alive) {
        norm = norm_of(cascade, task.pyramid, task.pyramid.sums + entry);
        alive = norm != 0.0F;
    }
    if (alive) {
        fell = !passes<F>(cascade, task.pyramid, 0, 1, sums_of(slot), norm, margin);
        alive = !fell;
    }
    // With a stride every requested window is visited, because its neighbors have not all been evaluated.
    const unsigned falls = task.requested == nullptr ? __ballot_sync(kWholeWarp, fell) : 0;
    if (lane == 0) task.fell[word] = falls;
    // Drops a skipped window if the run of rejections before it starts in this word; otherwise report() decides.
    const int run = run_below(falls, lane);
    if ((run < lane || column < 32) && run % 2 != 0) alive = false;

    if (alive) {
        windows.at[slot] = entry;
        windows.norm[slot] = norm;
        windows.margin[slot] = margin;
    }
    append(windows.list[0], &windows.count[0], alive, slot);
}

// The first segment for the windows of a block: stage 0 of all, then the other stages of the remaining windows.
template <typename F, typename SumsOf>
__device__ void evaluate_tile(const CascadeTables& cascade, const WindowTask& task, const WindowGroup& group,
                              const WindowTile& tile, const Segment& segment, const SumsOf& sums_of) {
    __shared__ BlockWindows windows;
    if (threadIdx.x < 3) windows.count[threadIdx.x] = 0;
    __syncthreads();
    const WindowLevel& level = task.levels[tile.level];
    for (int row = threadIdx.x / 32; row < kTileRows; row += kWarps) {
        first_stage<F>(cascade, task, level, tile, row, windows, sums_of);
    }
    __syncthreads();
    const Remaining left = run_stages<F>(cascade, task, windows, 1, segment.last, sums_of);
    push(task, group, segment, windows, left);
}

template <typename F>
__global__ void __launch_bounds__(kBlockThreads)
    all_windows_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, const WindowTile* tiles,
                       Segment segment) {
    const WindowTile tile = tiles[group.first_tile + blockIdx.x];
    const WindowLevel& level = task.levels[tile.level];
    const std::uint32_t* sums = task.pyramid.sums + level.origin;
    const int step = level.level.step;
    const std::int64_t pitch = task.pyramid.pitch;
    evaluate_tile<F>(cascade, task, group, tile, segment, [=](int slot) {
        const int column = tile.column + slot % kTileColumns;
        const int row = tile.row + slot / kTileColumns;
        return sums + row * step * pitch + column * step;
    });
}

template <typename F>
__global__ void __launch_bounds__(kBlockThreads)
    coarse_windows_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, const WindowTile* tiles,
                          Segment segment) {
    const WindowTile tile = tiles[group.first_tile + blockIdx.x];
    const WindowLevel& level = task.levels[tile.level];
    const int stride = task.stride;
    for (int slot = threadIdx.x; slot < kBlockWindows; slot += kBlockThreads) {
        const int column = tile.column + slot % kTileColumns;
        const int row = tile.row + slot / kTileColumns;
        if (column >= level.level.columns || row >= level.level.rows || column % stride != 0 || row % stride != 0)
            continue;
        if (task.pyramid.mask >= 0 && !in_mask(task, level, column, row)) continue;
        const std::uint32_t* at = task.pyramid.sums + corner_entry(task, level, column, row);
        const float norm = norm_of(cascade, task.pyramid, at);
        double margin = 0.0;
        if (norm == 0.0F || !passes<F>(cascade, task.pyramid, 0, segment.last, at, norm, margin)) continue;
        for (int y = max(row - stride + 1, 0); y < min(row + stride, level.level.rows); ++y) {
            for (int x = max(column - stride + 1, 0); x < min(column + stride, level.level.columns); ++x) {
                atomicOr(task.requested + level.first_word + y * level.words + x / 32, 1U << (x % 32));
            }
        }
    }
}

}  // namespace

void launch_all_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                        const WindowGroup& group, const WindowTile* tiles, const Segment& segment, StreamView stream) {
    if (group.end_tile <= group.first_tile) return;
    select_features(choice, [&](auto features) {
        LaunchChain(stream, false)
            .launch("all_windows_kernel", all_windows_kernel<decltype(features)>,
                    LaunchSize{group.end_tile - group.first_tile, kBlockThreads}, cascade, task, group, tiles, segment);
    });
}

void launch_coarse_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const WindowTile* tiles, const Segment& segment,
                           StreamView stream) {
    if (group.end_tile <= group.first_tile) return;
    select_features(choice, [&](auto features) {
        LaunchChain(stream, false)
            .launch("coarse_windows_kernel", coarse_windows_kernel<decltype(features)>,
                    LaunchSize{group.end_tile - group.first_tile, kBlockThreads}, cascade, task, group, tiles, segment);
    });
}

}  // namespace throng::gpu
