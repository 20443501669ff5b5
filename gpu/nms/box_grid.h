// Bins the valid detections of a frame, so that the detections near a box are found without visiting all: one grid of
// cells per power of two of box sizes, folded into one table. Memory and time grow linearly with the capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

struct LaunchChain;

// A valid detection as searches read it: one 32-byte sector.
struct alignas(32) GridRecord {
    float left, top, right, bottom;  // right and bottom as computed in intersection_area
    float score;
    float area;           // box_area under the pixel convention
    std::uint32_t index;  // in the raw buffer
    std::uint32_t unused;
};
static_assert(sizeof(GridRecord) == 32);

struct GridCell {
    std::uint32_t first, last;  // the cell's records: [first, last)
};

// Statistics of the detections, computed by the first pass of the binning.
struct GridSums {
    static constexpr int kLevelWords = 5;
    std::uint32_t levels[kLevelWords];  // one bit per size that occurs
    std::uint32_t invalid;
    std::uint32_t coarse;     // a box is huge, or so far from 0 that its edges are rounded and size is not a bound
    std::uint32_t best_key;   // score_key of the highest score
    std::uint32_t worst_key;  // ~score_key of the lowest
    std::uint32_t unused[3];
};

// The parameters of a frame's searches.
struct alignas(16) SearchPlan {
    std::int32_t lowest;    // lowest level that occurs
    std::int32_t highest;   // highest level that occurs
    std::uint32_t present;  // bit l: level lowest + l occurs
    std::uint32_t coarse;   // as in GridSums
    std::uint32_t stored;   // valid detections
    std::uint32_t all;      // number of records tested for every box; 0: test those near the box
    float best, worst;      // scores
};

struct GridHeader {
    // Copies, each in its own cache line, because simultaneous reads of one line by all blocks are slow.
    struct alignas(128) Copy {
        SearchPlan plan;
    };
    static constexpr std::uint32_t kCopies = 16;
    Copy copies[kCopies];
    GridSums sums;
};

// The part of a rule that bounds the search for the boxes that a box may suppress or be suppressed by.
struct SearchBounds {
    float ratio;      // pairs with an IoU below it need not be found; 0: find all intersecting pairs
    float inverse;    // 1 / ratio
    bool everywhere;  // also find disjoint boxes
};

// Addresses in device memory. The records of a cell are contiguous. So are those of the cells of a row between two
// multiples of kSegment columns.
struct BoxGrid {
    static constexpr std::uint32_t kSegment = 256;
    static constexpr std::uint32_t kNobody = 32;
    static constexpr int kFine = 4;  // height of a cell / width: contiguous cells of a row are cheap to read

    GridHeader* header;
    GridSums* sums;           // 0 between frames
    std::uint32_t* allotted;  // 0 between frames
    std::uint32_t* counts;    // [columns * rows] 0 between frames
    GridCell* cells;          // [columns * rows]
    std::uint32_t columns;    // powers of two
    std::uint32_t rows;
    GridRecord* records;   // [capacity + kNobody]; the last kNobody are NaN and near no box
    std::uint32_t nobody;  // index of the first of these
    std::uint32_t* slots;  // [capacity] by raw index, during binning: rank within its cell
    std::uint32_t least;   // frames with fewer detections are left to the small engine
    SearchBounds bounds;

    [[nodiscard]] std::uint32_t cells_in_all() const { return columns * rows; }  // a multiple of 16384
};

// The arguments of the binning of a frame.
struct GridBuild {
    BoxGrid grid;
    float extent;            // as in NmsRuleSet
    std::uint32_t* d_clear;  // words that the binning also sets to 0
    std::uint32_t clear_words;
};

class BoxGridStorage {
public:
    BoxGridStorage() = default;
    // Enqueues the clearing of the data that must be 0 before the first frame.
    BoxGridStorage(std::int32_t capacity, StreamView stream);
    [[nodiscard]] BoxGrid view(const NmsRuleSet& rules, std::uint32_t least) const;
    [[nodiscard]] std::size_t bytes() const;

private:
    std::uint32_t columns_ = 0;
    std::uint32_t rows_ = 0;
    DeviceBuffer<std::uint32_t> counts_;  // followed by the sums and the number of allocated records
    DeviceBuffer<GridCell> cells_;        // followed by the header
    DeviceBuffer<GridRecord> records_;
    DeviceBuffer<std::uint32_t> slots_;
};

// Enqueues the binning of task.raw: three kernels. Sets task.owner (if not null) to -1.
void launch_grid_build(const GridBuild& build, const NmsTask& task, const LaunchChain& chain);
// Enqueues the last of the three kernels.
void launch_grid_fill(const GridBuild& build, const NmsTask& task, const LaunchChain& chain);

}  // namespace throng::gpu
