// Bins the valid detections of a frame so that those near a box are found without looking at all: grids of square
// cells, one for each power of two of box sizes, folded into one table. Memory and time grow linearly with the
// capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// One cell of the table; the counts of kept ones are filled by the rules that use them.
struct alignas(16) GridCell {
    std::uint32_t start;  // of its records
    std::uint32_t count;
    std::uint32_t early;  // kept ones known before the greedy rule waits for any
    std::uint32_t late;   // kept ones beside these
};

struct GridHeader {
    static constexpr int kLevelWords = 5;
    std::uint32_t levels[kLevelWords];  // which sizes occur, one bit each
    std::uint32_t stored;               // valid detections
    std::uint32_t invalid;
    std::uint32_t coarse;  // some box is so far from 0 that its edges are rounded: size tells nothing
    std::uint32_t kept;    // by the rule
    std::uint32_t undecided;
    std::uint32_t segments;
    std::uint32_t unused;
};

// Addresses of device memory. Records are the valid detections, those of a cell side by side.
struct BoxGrid {
    GridHeader* header;
    GridCell* cells;        // [columns * rows]
    std::uint32_t columns;  // powers of two
    std::uint32_t rows;
    Box* boxes;               // [capacity]
    std::uint64_t* meta;      // [capacity] raw index in the upper half, bits of the score in the lower
    std::uint32_t* cell_of;   // [capacity] by record
    std::uint32_t* raw_cell;  // [capacity] by raw index, while binning
    std::uint32_t* raw_slot;  // [capacity]
    std::uint32_t least;      // frames with fewer detections are left to the small engine
};

class BoxGridStorage {
public:
    BoxGridStorage() = default;
    explicit BoxGridStorage(std::int32_t capacity);
    [[nodiscard]] BoxGrid view(std::uint32_t least) const;
    [[nodiscard]] std::size_t bytes() const;

private:
    std::uint32_t columns_ = 0;
    std::uint32_t rows_ = 0;
    DeviceBuffer<GridCell> cells_;  // the header lies behind them, so that one fill clears all
    DeviceBuffer<Box> boxes_;
    DeviceBuffer<std::uint64_t> meta_;
    DeviceBuffer<std::uint32_t> cell_of_;
    DeviceBuffer<std::uint32_t> raw_cell_;
    DeviceBuffer<std::uint32_t> raw_slot_;
};

// Enqueues the binning of task.raw: a fill and three kernels. Sets task.owner (where given) to -1.
void launch_grid_build(const BoxGrid& grid, const NmsTask& task, float extent, StreamView stream);

}  // namespace throng::gpu
