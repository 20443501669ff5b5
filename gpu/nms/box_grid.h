// Bins the valid detections of a frame, so that the detections near a box are found without visiting all: one grid of
// cells per power of two of box sizes, folded into one table. Memory and time grow linearly with the capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

class LaunchChain;

// A valid detection as searches read it: one 32-byte sector.
struct alignas(32) GridRecord {
    float left, top, right, bottom;  // right and bottom as computed in intersection_area
    float score;
    float area;           // box_area under the pixel convention
    std::uint32_t index;  // in the raw buffer
    std::uint32_t group;  // hash; detections of different groups never suppress each other
};
static_assert(sizeof(GridRecord) == 32);

struct GridCell {
    std::uint32_t first, last;  // the cell's records: [first, last)
};

// Statistics of the detections, collected by the first pass of the binning.
struct GridSums {
    static constexpr int kLevelWords = 5;
    std::uint32_t levels[kLevelWords];  // one bit per size that occurs
    std::uint32_t invalid;
    std::uint32_t coarse;     // a box is huge, or so far from 0 that its edges are rounded and size is not a bound
    std::uint32_t best_key;   // score_key of the highest score
    std::uint32_t worst_key;  // ~score_key of the lowest
    std::uint32_t allocated;  // records
};

// The parameters of a frame's searches.
struct SearchPlan {
    std::int32_t lowest;    // lowest level that occurs
    std::int32_t highest;   // highest level that occurs
    std::uint32_t present;  // bit l: level lowest + l occurs
    std::uint32_t coarse;   // as in GridSums
    std::uint32_t stored;   // valid detections
    std::uint32_t invalid;
    std::uint32_t all;  // number of records tested for every box; 0: test those near the box
    float best, worst;  // scores
    std::uint32_t best_key;
};

// The part of a rule that bounds the search for the boxes that a box may suppress or be suppressed by.
struct SearchBounds {
    float ratio;      // pairs with an IoU below it need not be found; 0: find all intersecting pairs
    float inverse;    // 1 / ratio, which may be infinite
    bool everywhere;  // also find disjoint boxes
};

// Addresses in device memory. The records of a cell are contiguous. So are those of the cells of a row between two
// multiples of kSegment columns.
struct BoxGrid {
    static constexpr std::uint32_t kSegment = 256;
    static constexpr int kFine = 4;  // height of a cell / width: contiguous cells of a row are cheap to read

    SearchPlan* plan;
    GridSums* sums;         // cleared after each frame
    std::uint32_t* counts;  // [columns * rows] cleared after each frame
    GridCell* cells;        // [columns * rows]
    std::uint32_t columns;  // powers of two
    std::uint32_t rows;
    GridRecord* records;   // [capacity]
    std::uint32_t* slots;  // [capacity] by raw index, during binning: position within the cell
    SearchBounds bounds;

    [[nodiscard]] std::uint32_t cell_count() const { return columns * rows; }  // a multiple of 16384
};

// The arguments of the binning of a frame.
struct GridBuild {
    BoxGrid grid;
    float extent;  // as in NmsRuleSet
    PairGate gate;
    ClearedWords clear;  // what the binning also sets to 0
};

class BoxGridStorage {
public:
    BoxGridStorage() = default;
    explicit BoxGridStorage(std::int32_t capacity);
    [[nodiscard]] BoxGrid view(const NmsRuleSet& rules) const;
    // Must be 0 before the first frame.
    [[nodiscard]] ClearedWords cleared() const {
        return {grid_.counts, grid_.cell_count() + sizeof(GridSums) / sizeof(std::uint32_t)};
    }

private:
    BoxGrid grid_{};  // the sums lie behind the counts
    DeviceBuffer<std::byte> memory_;
};

// Enqueues the binning of task.raw: three kernels. Sets task.owner (if not null) to -1.
void launch_grid_build(const GridBuild& build, const NmsTask& task, const LaunchChain& chain);

}  // namespace throng::gpu
