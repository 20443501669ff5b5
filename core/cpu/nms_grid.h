// Finds the boxes that overlap a box without testing all of them: grids of square cells, one grid per power of four of
// box sizes. Each grid is a torus: far cells share the memory of near ones, so any box, however large or far away,
// takes the same memory. The boxes of adjacent cells of a row are adjacent in memory and are tested with SIMD.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/algo/nms_rules.h"
#include "core/cpu/nms_kernels.h"

namespace throng {

// The pairs that a search yields. A box is a candidate if first <= order < last, where order is its rank or its limit.
struct GridQuery {
    Overlap overlap = Overlap::iou;
    float threshold = 0;
    // true: the box searched for suppresses the candidates, whose order is their limit. false: they suppress it, and
    // their order is their rank.
    bool is_suppressor = true;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

class BoxGrid {
public:
    // Holds all boxes, indexed by rank. A box may be suppressed only by ranks below its limit. limits may be empty if
    // each box's limit is its rank. Boxes must be valid detections. smallest_iou in [0, 1]: no search needs pairs with
    // a smaller IoU; 0: any overlap.
    void build(const std::vector<Box>& boxes, const std::vector<std::uint32_t>& limits, float extent,
               float smallest_iou);

    // Later searches do not yield this box.
    void remove(std::uint32_t rank) { remove_at(position_[rank]); }
    void remove_at(std::uint32_t position) { left_[position] = std::numeric_limits<float>::infinity(); }

    // Calls visit(position) for the candidates whose overlap with boxes[rank] is above 0 and at least the threshold, in
    // any order, each once, until it returns true. Returns true if a visit did. visit may remove boxes. Adds the number
    // of candidates tested to tests. Thread-safe if no thread removes boxes.
    template <class Visit>
    bool search(std::uint32_t rank, const GridQuery& query, std::uint64_t& tests, Visit&& visit) const;

    // Returns the rank at a position in memory. Searches run fastest in the order of positions.
    [[nodiscard]] std::uint32_t rank_at(std::uint32_t position) const {
        return static_cast<std::uint32_t>(rank_[position]);
    }

private:
    static constexpr std::uint32_t kBlock = 256;  // candidates tested before they are visited

    // The grid of one level: columns_ by rows_ cells.
    struct Level {
        float cell = 0;  // side of a cell, at least that of each box of this level
        float inverse = 0;
        std::uint32_t first_cell = 0;
    };
    struct Range {
        std::int32_t first, last;
    };

    void store(const Box& box, std::uint32_t rank, std::uint32_t at);
    void build_cells(const std::vector<Box>& boxes, float smallest_iou);
    // Returns the pixels that a side covers in intersection_area: edges rounded to float32, one more pixel if
    // inclusive.
    [[nodiscard]] double covered(float start, float side) const {
        return static_cast<double>(start + side) - static_cast<double>(start) + static_cast<double>(extent_);
    }
    [[nodiscard]] static std::int32_t cell_of(double position, double inverse);
    [[nodiscard]] Range reach(double start, double side, const Level& level) const;

    template <class Scan>
    void scan_row(const std::uint32_t* cells, const Range& range, Scan&& scan) const;

    const Box* boxes_ = nullptr;
    std::uint32_t size_ = 0;
    float extent_ = 0;
    double ratio_ = 0;   // max. factor between the sides of a pair; 0: unlimited
    bool scan_ = false;  // few boxes: no cells, memory in the order of ranks
    std::array<Level, kBoxLevels> levels_;
    std::uint32_t columns_ = 0;  // powers of two
    std::uint32_t rows_ = 0;
    std::vector<std::uint8_t> active_;     // levels with boxes
    std::vector<std::uint32_t> cells_;     // of all levels: first position of each cell, and the end of the last
    std::vector<std::uint32_t> level_;     // per rank
    std::vector<std::uint32_t> cell_;      // per rank
    std::vector<std::uint32_t> position_;  // per rank: where it is in the following arrays
    std::vector<float> left_, top_, width_, height_;
    std::vector<std::int32_t> rank_;
    std::vector<std::int32_t> limit_;  // empty: the rank
};

// Returns the column or row of cells that contains a coordinate; ascends with it. find_cells gives the same in float32,
// as the side of a cell is a power of two.
inline std::int32_t BoxGrid::cell_of(double position, double inverse) {
    constexpr double kMost = kMaxCell;
    const double cell = std::max(std::min(position * inverse, kMost), -kMost);
    return static_cast<std::int32_t>(cell) - (position < 0 ? 1 : 0);
}

// Returns the cells of the near edges of boxes that reach the smallest IoU t with a box from `start` to `start + side`.
// The intersection is at least t times as wide as either box: I >= t max(A), and it is no higher than either. So a box
// of width v begins at or after start + t max(side, v) - v, which falls as v grows. It begins at or before start + (1 -
// t) side.
inline BoxGrid::Range BoxGrid::reach(double start, double side, const Level& level) const {
    const double max_side =
        ratio_ > 0 ? std::min(static_cast<double>(level.cell), side / ratio_) : static_cast<double>(level.cell);
    const double slack = 1e-15 * (std::abs(start) + side + max_side);  // covers double's rounding here
    const double inverse = static_cast<double>(level.inverse);
    return {cell_of(start + ratio_ * std::max(side, max_side) - max_side - slack, inverse),
            cell_of(start + (1 - ratio_) * side + slack, inverse)};
}

// Calls scan(begin, end) for the positions of a row's cells in the range, each cell once.
template <class Scan>
void BoxGrid::scan_row(const std::uint32_t* cells, const Range& range, Scan&& scan) const {
    if (range.last - range.first >= static_cast<std::int32_t>(columns_) - 1) {
        scan(cells[0], cells[columns_]);
        return;
    }
    const auto first = static_cast<std::uint32_t>(range.first) & (columns_ - 1);
    const auto last = static_cast<std::uint32_t>(range.last) & (columns_ - 1);
    if (first <= last) {
        scan(cells[first], cells[last + 1]);
    } else {
        scan(cells[0], cells[last + 1]);
        scan(cells[first], cells[columns_]);
    }
}

template <class Visit>
bool BoxGrid::search(std::uint32_t rank, const GridQuery& query, std::uint64_t& tests, Visit&& visit) const {
    const Box& box = boxes_[rank];
    const PairQuery pair = {box,
                            extent_,
                            query.overlap,
                            query.is_suppressor,
                            std::max(query.threshold, std::numeric_limits<float>::denorm_min()),
                            static_cast<std::int32_t>(query.first),
                            static_cast<std::int32_t>(query.last)};
    const BoxColumns columns = {left_.data(), top_.data(), width_.data(), height_.data()};
    const std::int32_t* order = query.is_suppressor && !limit_.empty() ? limit_.data() : rank_.data();
    std::array<std::uint32_t, kBlock + kPairPadding> found;  // not initialized: find_pairs writes it
    bool stopped = false;
    const auto scan = [&](std::uint32_t begin, std::uint32_t end) {
        while (begin < end && !stopped) {
            const std::uint32_t block_end = std::min(begin + kBlock, end);
            tests += block_end - begin;
            const std::uint32_t count = find_pairs(columns, order, begin, block_end, pair, found.data());
            for (std::uint32_t k = 0; k < count && !stopped; ++k) {
                stopped = visit(found[k]);
            }
            begin = block_end;
        }
    };
    if (scan_) {  // a limit is at most the rank
        scan(query.first, std::min(query.last, size_));
        return stopped;
    }
    const double x = static_cast<double>(box.x);
    const double y = static_cast<double>(box.y);
    const double width = covered(box.x, box.w);
    const double height = covered(box.y, box.h);
    const double side = std::max(width, height);
    for (const std::size_t index : active_) {
        const Level& level = levels_[index];
        // Boxes of this level have a longer side in [cell / 4, cell).
        const double cell = static_cast<double>(level.cell);
        if (cell < ratio_ * side || cell * ratio_ > 4 * side) continue;
        const Range across = reach(x, width, level);
        const Range down = reach(y, height, level);
        if (across.first > across.last) continue;
        const std::int32_t rows = std::min(down.last - down.first + 1, static_cast<std::int32_t>(rows_));
        for (std::int32_t row = 0; row < rows; ++row) {
            const std::size_t first = (static_cast<std::uint32_t>(down.first + row) & (rows_ - 1)) * columns_;
            scan_row(cells_.data() + level.first_cell + first, across, scan);
            if (stopped) return true;
        }
    }
    return stopped;
}

}  // namespace throng
