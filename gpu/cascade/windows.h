// The candidate windows of a frame in device memory: levels, tiles, and the bit masks and queues that pass windows from
// one kernel to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/cascade_levels.h"
#include "core/detect/detection_buffer.h"
#include "gpu/frame/pyramid.h"

namespace throng::gpu {

inline constexpr int kTileColumns = 32;  // windows: one per lane of a warp and per bit of a word
inline constexpr int kTileRows = 16;
inline constexpr int kBlockWindows = kTileColumns * kTileRows;
inline constexpr int kBlockThreads = 256;

// The windows of a level. Their bits are in words of 32 neighbors, row by row, level by level.
struct WindowLevel {
    CascadeLevel level;
    std::int64_t origin;      // entry (0, 0) of its integral image
    std::int32_t x, y;        // the same as column and row of the atlas
    std::int32_t shelf_end;   // AtlasRegion
    std::int32_t words;       // per row
    std::int32_t first_word;  // among the words of all levels
};

// Windows of one level: the work of a block. kTileColumns x kTileRows of them, or the pairs described in
// first_stages.h.
struct WindowTile {
    std::int32_t level;
    std::int32_t column, row;  // of the first window
};

// A window that a segment passed.
struct alignas(16) QueuedWindow {
    std::uint32_t at;  // entry of its corner
    float norm;
    double margin;  // sum over the stages passed, as in evaluate_window
};

// Words in device memory that are 0 at the start of a frame.
struct QueueCounters {
    std::uint32_t queued;  // windows passed to the queue, also those beyond its capacity
    std::uint32_t taken;   // windows that the tail has assigned, not counting each warp's first
};

// The windows that one segment passes to the next. Addresses are in device memory.
struct WindowQueue {
    QueuedWindow* windows = nullptr;
    QueueCounters* counters = nullptr;
    std::uint32_t capacity = 0;
};

// Tiles that share a launch, in device memory.
struct WindowTiles {
    const WindowTile* first = nullptr;
    std::int32_t count = 0;
    std::int32_t max_step = 1;  // of the plan's levels: pixels between windows
};

// The arguments of every kernel of the cascade. Addresses are in device memory.
struct WindowTask {
    PyramidView pyramid;
    bool rows_only = false;  // the levels have only running sums along their rows, not integral images
    const WindowLevel* levels = nullptr;
    std::int32_t level_count = 0;
    std::int32_t frame_width = 0, frame_height = 0;
    std::uint32_t* fell = nullptr;  // bit: rejected in stage 0; determines the visited windows of a row
    DetectionSpan raw;
};

}  // namespace throng::gpu
