// Where windows lie, which of them are visited, and how they leave for the next segment or the raw detections.
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

// The window whose corner is this entry of the atlas: levels are sorted by shelf, then by column.
__device__ inline WindowPosition place_of_entry(const WindowTask& task, std::uint32_t at) {
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

// The first window of a word of bits.
__device__ inline WindowPosition place_of_word(const WindowTask& task, int word) {
    int low = 0;
    int high = task.level_count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (task.levels[middle].first_word <= word) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    const WindowLevel& level = task.levels[low];
    const int rest = word - level.first_word;
    return {low, rest % level.words * 32, rest / level.words};
}

// How many bits in a row are set just below bit `lane`.
__device__ inline int run_below(std::uint32_t word, int lane) {
    return lane == 0 ? 0 : min(__clz(static_cast<int>(~(word << (32 - lane)))), lane);
}

// As visited_windows in core/algo/cascade_levels.h, for one window that did not fall itself: of the falls in a row just
// before it every second one is visited, from their first, and the window after a visited fall is skipped.
__device__ inline bool is_visited(const WindowTask& task, WindowPosition place) {
    const WindowLevel& level = task.levels[place.level];
    const std::uint32_t* words = task.fell + level.first_word + static_cast<std::int64_t>(place.row) * level.words;
    const int lane = place.column % 32;
    int word = place.column / 32;
    int run = run_below(words[word], lane);
    bool whole = run == lane;
    while (whole && word > 0) {
        const int more = __clz(static_cast<int>(~words[--word]));
        run += more;
        whole = more == 32;
    }
    return run % 2 == 0;
}

// A window that passed every stage.
__device__ inline void report(const WindowTask& task, std::uint32_t at, double margin) {
    const WindowPosition place = place_of_entry(task, at);
    const WindowLevel& level = task.levels[place.level];
    if (level.reported == 0 || !is_visited(task, place)) return;
    const std::uint32_t slot = atomicAdd(&task.raw.count->total, 1U);
    if (slot >= static_cast<std::uint32_t>(task.raw.capacity)) return;
    task.raw.boxes[slot] = window_box(level.level, place.column, place.row, task.frame_width, task.frame_height);
    task.raw.scores[slot] = static_cast<float>(margin);
}

// Puts a window into the place of a queue that it was given. One that has no room is marked pending instead: the last
// kernel evaluates it from the start.
__device__ inline void store(const WindowTask& task, const WindowQueue& queue, std::uint32_t slot,
                             const QueuedWindow& window, std::uint32_t* spilled) {
    if (slot < queue.capacity) {
        queue.windows[slot] = window;
        return;
    }
    const WindowPosition place = place_of_entry(task, window.at);
    const WindowLevel& level = task.levels[place.level];
    const std::int64_t word = level.first_word + static_cast<std::int64_t>(place.row) * level.words + place.column / 32;
    atomicOr(task.pending + word, 1U << (place.column % 32));
    atomicAdd(spilled, 1U);
}

// Whether enough of the window's part of the frame is set in the candidate mask.
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
    return static_cast<float>(set) >= task.least_share * static_cast<float>((right - left) * (bottom - top));
}

}  // namespace throng::gpu
