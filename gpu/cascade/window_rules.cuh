// Positions of windows, the rule that decides which are visited, and their output to the next segment or the raw
// detections.
#pragma once

#include <cuda_runtime.h>

#include "core/algo/cascade.h"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/windows.h"

namespace throng::gpu {

inline constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

struct WindowPosition {
    int level, column, row;
};

__device__ inline std::uint32_t corner_entry(const WindowTask& task, const WindowLevel& level, int column, int row) {
    return static_cast<std::uint32_t>(level.origin +
                                      static_cast<std::int64_t>(row * level.level.step) * task.pyramid.pitch +
                                      column * level.level.step);
}

// Returns the window whose corner is this entry of the atlas: levels are sorted by shelf, then by column.
__device__ inline WindowPosition position_of_entry(const WindowTask& task, std::uint32_t at) {
    const int y = static_cast<int>(at / static_cast<std::uint32_t>(task.pyramid.pitch));
    const int x = static_cast<int>(at % static_cast<std::uint32_t>(task.pyramid.pitch));
    int low = 0;
    int high = task.level_count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        const WindowLevel& level = task.levels[middle];
        if (level.y <= y && (level.shelf_end <= y || level.x <= x)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    const WindowLevel& level = task.levels[low];
    return {low, (x - level.x) / level.level.step, (y - level.y) / level.level.step};
}

// Returns the length of the run of set bits just below bit `lane`.
__device__ inline int run_below(std::uint32_t word, int lane) {
    return lane == 0 ? 0 : min(__clz(static_cast<int>(~(word << (32 - lane)))), lane);
}

// Like visited_windows in core/algo/cascade_levels.h, for one window that was not rejected in stage 0. In the run of
// rejections just before it every second one is visited, starting with the first. The window after a visited rejection
// is skipped.
__device__ inline bool is_visited(const WindowTask& task, WindowPosition position) {
    const WindowLevel& level = task.levels[position.level];
    const std::uint32_t* words = task.fell + level.first_word + static_cast<std::int64_t>(position.row) * level.words;
    const int lane = position.column % 32;
    int word = position.column / 32;
    int run = run_below(words[word], lane);
    bool all_set = run == lane;
    while (all_set && word > 0) {
        const int more = __clz(static_cast<int>(~words[--word]));
        run += more;
        all_set = more == 32;
    }
    return run % 2 == 0;
}

// Reports a window that passed every stage.
__device__ inline void report(const WindowTask& task, std::uint32_t at, double margin) {
    const WindowPosition position = position_of_entry(task, at);
    const WindowLevel& level = task.levels[position.level];
    if (level.reported == 0 || !is_visited(task, position)) return;
    const std::uint32_t slot = atomicAdd(&task.raw.count->total, 1U);
    if (slot >= static_cast<std::uint32_t>(task.raw.capacity)) return;
    task.raw.boxes[slot] = window_box(level.level, position.column, position.row, task.frame_width, task.frame_height);
    task.raw.scores[slot] = static_cast<float>(margin);
}

// Stores a window in the next segment's queue. If that is full, the count of candidates asks for more memory instead.
__device__ inline void enqueue_window(const WindowTask& task, const Segment& segment, std::uint32_t slot,
                                      const QueuedWindow& window) {
    if (slot < segment.capacity) {
        segment.next[slot] = window;
    } else {
        atomicMax(&task.raw.count->candidates, slot + 1);
    }
}

// Returns the number of windows in the segment's queue.
__device__ inline std::uint32_t queue_length(const WindowGroup& group, const Segment& segment) {
    return min(group.counters->queued[segment.number - 1], segment.capacity);
}

// Tests if enough of the window's part of the frame is set in the candidate mask.
__device__ inline bool in_mask(const WindowTask& task, const WindowLevel& level, int column, int row) {
    const PyramidView& p = task.pyramid;
    const Box box = window_box(level.level, column, row, task.frame_width, task.frame_height);
    const int left = min(static_cast<int>(box.x) / 2, p.mask_width - 1);
    const int top = min(static_cast<int>(box.y) / 2, p.mask_height - 1);
    const int right = min(max(static_cast<int>(box.x + box.w) / 2, left + 1), p.mask_width);
    const int bottom = min(max(static_cast<int>(box.y + box.h) / 2, top + 1), p.mask_height);
    const std::uint32_t* sums = p.sums + p.mask;
    const std::int64_t above = static_cast<std::int64_t>(top) * p.pitch;
    const std::int64_t below = static_cast<std::int64_t>(bottom) * p.pitch;
    const std::int32_t set = corner_sum(__ldg(sums + above + left), __ldg(sums + above + right),
                                        __ldg(sums + below + left), __ldg(sums + below + right));
    return static_cast<float>(set) >= task.min_share * static_cast<float>((right - left) * (bottom - top));
}

}  // namespace throng::gpu
