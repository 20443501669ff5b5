// Bins the valid detections of a frame so that those near a box are found without looking at all: grids of square
// cells, one for each power of two of box sizes, folded into one table. Memory and time grow linearly with the
// capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

struct LaunchChain;

// A valid detection as searches read it: one sector of memory.
struct alignas(32) GridRecord {
    float left, top, right, bottom;  // right and bottom as intersection_area sums them
    float score;
    float area;           // box_area under the pixel convention
    std::uint32_t index;  // in the raw buffer
    std::uint32_t unused;
};
static_assert(sizeof(GridRecord) == 32);

struct GridCell {
    std::uint32_t first, last;  // its records: [first, last)
};

// What the binning learns on its first look at the detections.
struct GridSums {
    static constexpr int kLevelWords = 5;
    std::uint32_t levels[kLevelWords];  // which sizes occur, one bit each
    std::uint32_t invalid;
    std::uint32_t coarse;     // some box is so far from 0 that its edges are rounded: size tells nothing; or it is huge
    std::uint32_t best_key;   // score_key of the highest score
    std::uint32_t worst_key;  // ~score_key of the lowest
    std::uint32_t unused[3];
};

// What the searches of a frame need to know of it.
struct alignas(16) SearchPlan {
    std::int32_t lowest;    // level that occurs
    std::int32_t highest;   // level that occurs
    std::uint32_t present;  // bit l: level lowest + l occurs
    std::uint32_t coarse;   // as in GridSums
    std::uint32_t stored;   // valid detections
    std::uint32_t all;      // that many records are looked at whatever the box, 0: those near it
    float best, worst;      // scores
};

struct GridHeader {
    // Copies, each in a line of its own: what all blocks ask for at once takes long.
    struct alignas(128) Copy {
        SearchPlan plan;
    };
    static constexpr std::uint32_t kCopies = 16;
    Copy copies[kCopies];
    GridSums sums;
};

// What of a rule tells where those have to be looked for that a box may suppress, or be suppressed by.
struct SearchBounds {
    float ratio;      // the smallest t for which pairs of IoU below it need not be found; 0: all that meet
    float inverse;    // 1 / ratio
    bool everywhere;  // boxes that do not meet, too
};

// Addresses of device memory. Records of a cell lie side by side, and so do those of the cells of a row between two
// multiples of kSegment columns.
struct BoxGrid {
    static constexpr std::uint32_t kSegment = 256;
    static constexpr std::uint32_t kNobody = 32;
    static constexpr int kFine = 4;  // cells are so much narrower than high, for what a row has side by side is cheap

    GridHeader* header;
    GridSums* sums;           // 0 between frames
    std::uint32_t* allotted;  // 0 between frames
    std::uint32_t* counts;    // [columns * rows] 0 between frames
    GridCell* cells;          // [columns * rows]
    std::uint32_t columns;    // powers of two
    std::uint32_t rows;
    GridRecord* records;   // [capacity + kNobody]; the last kNobody are not numbers, and near nothing
    std::uint32_t nobody;  // the first of these
    std::uint32_t* slots;  // [capacity] by raw index, while binning: place among those of the cell
    std::uint32_t least;   // frames with fewer detections are left to the small engine
    SearchBounds bounds;

    [[nodiscard]] std::uint32_t cells_in_all() const { return columns * rows; }  // a multiple of 16384
};

// What the binning of a frame is told.
struct GridBuild {
    BoxGrid grid;
    float extent;            // as in NmsRuleSet
    std::uint32_t* d_clear;  // what is set to 0 on the way
    std::uint32_t clear_words;
};

class BoxGridStorage {
public:
    BoxGridStorage() = default;
    // Enqueues the clearing of what must be 0 before the first frame.
    BoxGridStorage(std::int32_t capacity, StreamView stream);
    [[nodiscard]] BoxGrid view(const NmsRuleSet& rules, std::uint32_t least) const;
    [[nodiscard]] std::size_t bytes() const;

private:
    std::uint32_t columns_ = 0;
    std::uint32_t rows_ = 0;
    DeviceBuffer<std::uint32_t> counts_;  // sums and the number allotted lie behind them
    DeviceBuffer<GridCell> cells_;        // the header lies behind them
    DeviceBuffer<GridRecord> records_;
    DeviceBuffer<std::uint32_t> slots_;
};

// Enqueues the binning of task.raw: three kernels. Sets task.owner (where given) to -1.
void launch_grid_build(const GridBuild& build, const NmsTask& task, const LaunchChain& chain);
// The last of the three.
void launch_grid_fill(const GridBuild& build, const NmsTask& task, const LaunchChain& chain);

}  // namespace throng::gpu
