// Finds the boxes near a box without testing all of them: grids of square cells, one per power of four of box sizes, in
// one hash table. Any box, however large or far away, takes the same memory.
//
// A search yields every inserted box whose overlap with the query may reach the smallest overlap that the grid was
// built for. The overlap is computed in float32 as in core/algo/nms_rules.h. A search also yields other boxes: the
// caller must test each.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algo/nms_rules.h"

namespace throng {

// An entry visited by a search. 32 bytes, so that two fit into one cache line.
struct GridEntry {
    Box box;
    float area;
    std::uint32_t rank;
};

class BoxGrid {
public:
    // Prepares the grid for the boxes that will be inserted and searched for. None is inserted yet. smallest_iou in [0,
    // 1] is the smallest IoU of the pairs that the caller needs. 0 requests all pairs with a non-empty intersection, as
    // the other overlaps need. Boxes must be valid detections.
    void build(const std::vector<Box>& boxes, float extent, float smallest_iou);

    // Inserts boxes[rank]. Each box may be inserted once between two calls of build or clear. Entries of a cell keep
    // the order of insertion.
    void insert(std::uint32_t rank);
    void clear();  // removes all entries, keeps everything else

    // Calls visit(const GridEntry&) for the boxes near boxes[rank], itself included if inserted, until it returns true.
    // Some boxes are visited more than once. Returns true if a visit did.
    template <class Visit>
    bool search(std::uint32_t rank, Visit&& visit) const;

    // Returns all ranks once, neighboring boxes together: the order in which searches run fastest.
    [[nodiscard]] const std::vector<std::uint32_t>& by_location();

private:
    // The pixels that a box covers in intersection_area: edges rounded to float32, one more pixel if inclusive.
    struct Area {
        double x, y, w, h;
    };
    struct Bucket {
        std::uint32_t begin;
        std::uint32_t count;
    };
    struct Level {
        double cell = 0;  // side of a cell, at least that of each box of this level
        double inverse = 0;
        std::uint32_t boxes = 0;
        std::uint32_t inserted = 0;
        std::uint32_t list = 0;  // start of this level's part of lists_
    };
    struct Range {
        double first, last;
    };

    // Sides lie between the smallest float, 2^-149, and twice the largest, 2^129. Levels are powers of four. (Powers of
    // two have more empty cells to visit and take a third longer on clusters of 20.)
    static constexpr int kLowestExponent = -150;
    static constexpr std::size_t kLevels = 142;
    static constexpr std::uint16_t kNoLevel = 0xFFFF;  // a box without extent in float32 overlaps nothing

    [[nodiscard]] Area area_of(const Box& box) const;
    [[nodiscard]] static std::size_t level_of(const Area& area);
    [[nodiscard]] static std::int64_t cell_of(double position, const Level& level);
    [[nodiscard]] static std::uint64_t row_of(std::size_t level, std::int64_t cell_y);
    [[nodiscard]] std::size_t bucket_at(std::uint64_t row, std::int64_t cell_x) const;
    [[nodiscard]] GridEntry entry_of(std::uint32_t rank) const;
    [[nodiscard]] Range reach(double start, double side, const Level& level) const;

    const Box* boxes_ = nullptr;
    float extent_ = 0;
    double ratio_ = 0;  // max. factor between the sides of a pair; 0: unlimited
    std::array<Level, kLevels> levels_;
    std::vector<std::uint16_t> active_;  // levels with boxes
    std::vector<std::uint16_t> level_;   // per rank
    std::vector<std::uint32_t> bucket_;  // per rank
    std::vector<Bucket> buckets_;        // their number is a power of two
    std::vector<GridEntry> entries_;     // by bucket
    std::vector<std::uint32_t> lists_;   // ranks inserted, by level
    std::vector<std::uint32_t> by_location_;
    std::vector<std::uint32_t> next_;
    std::uint64_t mask_ = 0;
};

// Returns the cell that contains a coordinate. Coordinates 2^52 or more cells away from 0 share one cell per side.
inline std::int64_t BoxGrid::cell_of(double position, const Level& level) {
    constexpr double kMaxCell = 4503599627370496.0;
    const double cell = std::clamp(position * level.inverse, -kMaxCell, kMaxCell);
    const auto truncated = static_cast<std::int64_t>(cell);
    return truncated - (cell < static_cast<double>(truncated) ? 1 : 0);
}

// Cells of a row are adjacent in the table; rows are scattered.
inline std::uint64_t BoxGrid::row_of(std::size_t level, std::int64_t cell_y) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(cell_y) * 0x9E3779B97F4A7C15U + level * 0xC2B2AE3D27D4EB4FU;
    return mixed >> 32U;
}

inline std::size_t BoxGrid::bucket_at(std::uint64_t row, std::int64_t cell_x) const {
    return (row + static_cast<std::uint64_t>(cell_x)) & mask_;
}

inline GridEntry BoxGrid::entry_of(std::uint32_t rank) const {
    return {boxes_[rank], box_area(boxes_[rank], extent_), rank};
}

// Returns the range of the near edges of boxes that reach the smallest IoU t with a box from `start` to `start + side`.
// The intersection is at least t times as wide as either box: I >= t max(A), and it is no higher than either. So a box
// of width v begins at or after start + t max(side, v) - v, which falls as v grows. It begins at or before start + (1 -
// t) side.
inline BoxGrid::Range BoxGrid::reach(double start, double side, const Level& level) const {
    const double max_side = ratio_ > 0 ? std::min(level.cell, side / ratio_) : level.cell;
    const double slack = 1e-15 * (std::abs(start) + side + max_side);  // covers double's rounding here
    return {start + ratio_ * std::max(side, max_side) - max_side - slack, start + (1 - ratio_) * side + slack};
}

template <class Visit>
bool BoxGrid::search(std::uint32_t rank, Visit&& visit) const {
    if (level_[rank] == kNoLevel) return false;
    const Area area = area_of(boxes_[rank]);
    const double side = std::max(area.w, area.h);
    for (const std::uint16_t index : active_) {
        const Level& level = levels_[index];
        if (level.inserted == 0) continue;
        // Boxes of this level have a longer side in [cell / 4, cell).
        if (level.cell < ratio_ * side || level.cell * ratio_ > 4 * side) continue;
        const Range x = reach(area.x, area.w, level);
        const Range y = reach(area.y, area.h, level);
        const std::int64_t left = cell_of(x.first, level);
        const std::int64_t right = cell_of(x.last, level);
        const std::int64_t top = cell_of(y.first, level);
        const std::int64_t bottom = cell_of(y.last, level);
        if (left > right || top > bottom) continue;

        // A large box among many small ones: visiting each small one is cheaper than each cell.
        const double cells = static_cast<double>(right - left + 1) * static_cast<double>(bottom - top + 1);
        if (cells > static_cast<double>(level.inserted)) {
            for (std::uint32_t k = 0; k < level.inserted; ++k) {
                if (visit(entry_of(lists_[level.list + k]))) return true;
            }
            continue;
        }
        for (std::int64_t cell_y = top; cell_y <= bottom; ++cell_y) {
            const std::uint64_t row = row_of(index, cell_y);
            for (std::int64_t cell_x = left; cell_x <= right; ++cell_x) {
                const Bucket bucket = buckets_[bucket_at(row, cell_x)];
                for (std::uint32_t k = 0; k < bucket.count; ++k) {
                    if (visit(entries_[bucket.begin + k])) return true;
                }
            }
        }
    }
    return false;
}

}  // namespace throng
