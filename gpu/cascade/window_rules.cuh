// Positions of windows, the rule that decides which are visited, and their output to the next segment or the raw
// detections.
#pragma once

#include <cuda_runtime.h>

#include "core/algo/cascade.h"
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

// Returns the length of the run of set bits just below a bit.
__device__ inline int run_below(std::uint64_t word, int bit) {
    return bit == 0 ? 0 : min(__clzll(static_cast<long long>(~(word << (64 - bit)))), bit);
}

// Tests if the window of this bit is skipped because an odd run of rejections precedes it. False if the run may
// continue before the first bit; then report() decides.
__device__ inline bool is_skipped(std::uint64_t falls, int bit, bool first_is_first) {
    const int run = run_below(falls, bit);
    return (run < bit || first_is_first) && run % 2 != 0;
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
__device__ inline void report(const WindowTask& task, const QueuedWindow& window) {
    const WindowPosition position = position_of_entry(task, window.at);
    const WindowLevel& level = task.levels[position.level];
    if (!is_visited(task, position)) return;
    const std::uint32_t slot = atomicAdd(&task.raw.count->total, 1U);
    if (slot >= static_cast<std::uint32_t>(task.raw.capacity)) return;
    task.raw.boxes[slot] = window_box(level.level, position.column, position.row, task.frame_width, task.frame_height);
    task.raw.scores[slot] = static_cast<float>(window.margin);
}

// Stores a window in the queue. If that is full, the count of candidates asks for more memory instead.
__device__ inline void enqueue_window(const WindowTask& task, const WindowQueue& queue, std::uint32_t slot,
                                      const QueuedWindow& window) {
    if (slot < queue.capacity) {
        queue.windows[slot] = window;
    } else {
        atomicMax(&task.raw.count->candidates, slot + 1);
    }
}

// Returns the number of windows in the queue.
__device__ inline std::uint32_t queue_length(const WindowQueue& queue) {
    return min(queue.counters->queued, queue.capacity);
}

// Which windows are evaluated: all of them. gpu/lab has others.
struct EveryWindow {
    __device__ static bool admits(const WindowTask&, const WindowLevel&, int /*column*/, int /*row*/) { return true; }
    // Returns true if the rule that skips the window after a rejection does not apply.
    __device__ static bool visits_all() { return false; }
};

}  // namespace throng::gpu
