// Searching a BoxGrid.
#pragma once

#include "gpu/nms/box_grid.h"
#include "gpu/nms/lane_group.cuh"
#include "gpu/nms/pair_margin.h"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

constexpr int kLowestExponent = -16;  // smaller boxes share the cells of 2^-16 pixels
constexpr int kMaxExponent = 128;
constexpr int kLevels = kMaxExponent - kLowestExponent + 1;
static_assert(kLevels <= GridSums::kLevelWords * 32);

// What a box covers as intersection_area sees it: edges rounded to float32, one pixel more where inclusive. Rounded
// upwards, so that boxes that meet have extents that do.
struct Extents {
    float left, top, right, bottom;
    float width, height;
};

__device__ __forceinline__ float finite(float v) {
    return fminf(v, 3.402823466e+38F);
}

__device__ __forceinline__ Extents extents_between(float left, float top, float right, float bottom, float extent) {
    Extents e;
    e.left = left;
    e.top = top;
    e.right = finite(__fadd_ru(finite(right), extent));
    e.bottom = finite(__fadd_ru(finite(bottom), extent));
    e.width = finite(__fsub_ru(e.right, e.left));
    e.height = finite(__fsub_ru(e.bottom, e.top));
    return e;
}

// The edges are so much rounded that widths and areas no longer agree, or so far away, or areas so large or small, that
// sums and products of them are not exact enough for pair_margin.h.
__device__ __forceinline__ bool is_coarse(const Extents& e, Box b, float extent) {
    constexpr float kFarthest = 1e36F;
    const float area = box_area(b, extent);
    return !(is_regular_area(area) && e.width <= (b.w + extent) * 1.004F && e.height <= (b.h + extent) * 1.004F &&
             b.w + extent <= e.width * 1.004F && b.h + extent <= e.height * 1.004F && e.left >= -kFarthest &&
             e.top >= -kFarthest && e.right <= kFarthest && e.bottom <= kFarthest);
}

// The smallest power of two that a side does not exceed, from 0.
__device__ __forceinline__ int level_of(float side) {
    const std::uint32_t bits = __float_as_uint(fmaxf(side, 0.0F));
    const int exponent = static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFFU) != 0 ? 1 : 0);
    return max(exponent, kLowestExponent) - kLowestExponent;
}
__device__ __forceinline__ int level_of(const Extents& e) {
    return level_of(fmaxf(e.width, e.height));
}

__device__ __forceinline__ float cell_scale(int level) {
    const int exponent = -(level + kLowestExponent);
    return exponent >= -126 ? __int_as_float((exponent + 127) << 23) : __int_as_float(1 << (exponent + 149));
}

// 1 / cell_scale, which may be infinite.
__device__ __forceinline__ float cell_size(int level) {
    return __int_as_float((level + kLowestExponent + 127) << 23);
}

// Never descends as v grows. Cells 2^29 and more away from 0 are one.
__device__ __forceinline__ int cell_coordinate(float v, float scale) {
    constexpr float kFarthest = 536870912.0F;
    return static_cast<int>(floorf(fminf(fmaxf(v * scale, -kFarthest), kFarthest)));
}

// Levels and groups are shifted against each other in the folded table.
__device__ __forceinline__ std::uint32_t column_of(const BoxGrid& g, int level, std::uint32_t group, int x) {
    return (static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(level) * 0x9E3779B1U + group) & (g.columns - 1);
}
__device__ __forceinline__ std::uint32_t row_of(const BoxGrid& g, int level, std::uint32_t group, int y) {
    return (static_cast<std::uint32_t>(y) + static_cast<std::uint32_t>(level) * 0x85EBCA77U + (group >> 16)) &
           (g.rows - 1);
}
__device__ __forceinline__ std::uint32_t cell_index(const BoxGrid& g, int level, std::uint32_t group, int x, int y) {
    return row_of(g, level, group, y) * g.columns + column_of(g, level, group, x);
}

// The same value as intersection_area of the two boxes.
__device__ __forceinline__ float record_intersection(const GridRecord& a, const GridRecord& b, float extent) {
    const float width = (fminf(a.right, b.right) - fmaxf(a.left, b.left)) + extent;
    const float height = (fminf(a.bottom, b.bottom) - fmaxf(a.top, b.top)) + extent;
    return width > 0.0F && height > 0.0F ? width * height : 0.0F;
}

// Whether a precedes b; looks at the boxes only where the scores are equal.
__device__ __forceinline__ bool record_precedes(const NmsTask& task, const GridRecord& a, const GridRecord& b) {
    return a.score != b.score ? a.score > b.score : precedes_at_equal_scores(task, a.score, a.index, b.index);
}

// Returns true if j suppresses i, given that it precedes it, and where gated, if the gate admits the pair.
template <PairPath path>
__device__ __forceinline__ bool record_suppresses(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                  const GridRecord& i, const GridRecord& j) {
    if (!may_suppress(rules.ties, i.score, j.score)) return false;
    const float intersection = record_intersection(i, j, rules.extent);
    if constexpr (path == PairPath::any) {
        return suppresses_with(rules, raw, intersection, i.area, i.index, j.area, j.index);
    } else {
        if (!(intersection > 0.0F)) return false;
        if (path == PairPath::gated && rules.gate.corners != nullptr) return true;  // they decide
        return overlap_ratio(rules.overlap, intersection, i.area, j.area) >= rules.theta;
    }
}

// Counts pair tests for a study; nothing is added up where nobody asks.
struct TestCounter {
    std::uint32_t tests = 0;

    __device__ void report(unsigned long long* d_total) {
        if (d_total == nullptr) return;
        atomicAdd(d_total, static_cast<unsigned long long>(tests));
        tests = 0;
    }
};

// A rectangle of cells of the folded table: those near a box on one level.
struct CellRect {
    std::uint32_t column = 0;
    std::uint32_t width = 0;
    std::uint32_t row = 0;  // after the last row of the table follows the first
    std::uint32_t height = 0;

    // Number of record ranges per row: cells of a segment are contiguous.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t ranges_of_row() const {
        return height == 0 ? 0 : (column + width - 1) / BoxGrid::kSegment - column / BoxGrid::kSegment + 1;
    }
};

// Computes the cells to search for the detections near a box: for pairs whose IoU must reach a ratio t, or, where t is 0
// or the frame is coarse, for all boxes that intersect.
class SearchArea {
public:
    int lowest, highest;  // levels

    __device__ __forceinline__ SearchArea(const BoxGrid& g, const SearchPlan& plan, const GridRecord& box, float extent)
        : lowest(plan.lowest),
          highest(plan.highest),
          area_(extents_between(box.left, box.top, box.right, box.bottom, extent)),
          ratio_(plan.coarse == 0 ? g.bounds.ratio : 0.0F),
          inverse_(plan.coarse == 0 ? g.bounds.inverse : INFINITY),
          group_(box.group) {
        // Boxes of a level have their longer side in (cell / 2, cell], those of the lowest of all in (0, cell].
        const float side = fmaxf(area_.width, area_.height);
        const float most = fminf(2.0F * inverse_ * side, INFINITY);  // also where it is not a number
        const int level_of_most = static_cast<int>(__float_as_uint(most) >> 23) - 127 - kLowestExponent;
        lowest = max(lowest, level_of(ratio_ * side));
        highest = min(highest, max(level_of_most, 0));
    }

    [[nodiscard]] __device__ __forceinline__ CellRect on(int level, const BoxGrid& g, const SearchPlan& plan) const {
        CellRect near;
        const auto above = static_cast<std::uint32_t>(level - plan.lowest);
        if (above < 32 && (plan.present >> above & 1U) == 0) return near;
        const float cell = cell_size(level);
        const float scale = cell_scale(level);
        int left, right, top, bottom;
        find_range(area_.left, area_.right, area_.width, cell, scale * static_cast<float>(BoxGrid::kFine), left, right);
        find_range(area_.top, area_.bottom, area_.height, cell, scale, top, bottom);
        // The table is folded: more than all of it would be looked at twice.
        near.column = column_of(g, level, group_, left);
        near.width = min(static_cast<std::uint32_t>(right) - static_cast<std::uint32_t>(left), g.columns - 1) + 1;
        near.row = row_of(g, level, group_, top);
        near.height = min(static_cast<std::uint32_t>(bottom) - static_cast<std::uint32_t>(top), g.rows - 1) + 1;
        return near;
    }

private:
    // The cells where the near edges of boxes of a level may lie that meet [start, end) by t of the wider one's width:
    // a box of width v begins at or behind start + t max(width, v) - v, which falls as v grows, and at or before
    // end - t width.
    __device__ __forceinline__ void find_range(float start, float end, float width, float cell, float scale, int& first,
                                               int& last) const {
        const float widest = fminf(cell, width * inverse_);
        const float slack = 1e-6F * (fabsf(start) + width + widest);
        first = cell_coordinate(start + (ratio_ * fmaxf(width, widest) - widest) - slack, scale);
        last = cell_coordinate(end - ratio_ * width + slack, scale);
    }

    Extents area_;
    float ratio_, inverse_;
    std::uint32_t group_;
};

// Records [first, last).
struct RecordRange {
    std::uint32_t first, last;
};

// Range `index` of a rectangle of cells.
__device__ __forceinline__ RecordRange record_range(const BoxGrid& g, std::uint32_t column, std::uint32_t width,
                                                    std::uint32_t row, std::uint32_t index) {
    const std::uint32_t end = column + width;
    const std::uint32_t segment = column / BoxGrid::kSegment;
    const std::uint32_t segments = (end - 1) / BoxGrid::kSegment - segment + 1;
    const std::uint32_t down = segments == 1 ? index : index / segments;
    const std::uint32_t at = segment + (index - down * segments);
    const std::uint32_t first = max(column, at * BoxGrid::kSegment);
    const std::uint32_t last = min(end, (at + 1) * BoxGrid::kSegment) - 1;
    const GridCell* cells = g.cells + ((row + down) & (g.rows - 1)) * g.columns;
    return {cells[first & (g.columns - 1)].first, cells[last & (g.columns - 1)].last};
}

// Calls visit(record) for the records near the box, each on one lane of the group, some more than once. Groups that are
// not active visit none. For whole warps. The lanes of a group divide the levels, then the record ranges of all levels,
// then the records of all ranges.
template <int kLanes, class Visit>
__device__ __forceinline__ void for_each_near(const BoxGrid& g, const SearchPlan& plan, const Group<kLanes>& group,
                                              bool active, const GridRecord& box, float extent, Visit&& visit) {
    if (plan.all != 0) {
        for (std::uint32_t r = group.lane; active && r < plan.all; r += kLanes) visit(r);
        __syncwarp();
        return;
    }
    const SearchArea area(g, plan, box, extent);
    const int highest = active ? area.highest : area.lowest - 1;
    for (int lowest = area.lowest; __any_sync(kWholeWarp, lowest <= highest); lowest += kLanes) {
        const int level = lowest + static_cast<int>(group.lane);
        CellRect near;
        if (level <= highest) near = area.on(level, g, plan);
        const std::uint32_t level_ranges = near.ranges_of_row() * near.height;
        const std::uint32_t ranges_up_to = group.inclusive_sum(level_ranges);
        const std::uint32_t ranges = group.from(ranges_up_to, kLanes - 1);
        const std::uint32_t columns = near.column | near.width << 16;
        for (std::uint32_t base = 0; __any_sync(kWholeWarp, base < ranges); base += kLanes) {
            const std::uint32_t index = base + group.lane;
            const int from = group.first_above(ranges_up_to, index);
            const std::uint32_t level_columns = group.from(columns, from);
            const std::uint32_t level_row = group.from(near.row, from);
            const std::uint32_t before = group.from(ranges_up_to - level_ranges, from);
            RecordRange mine{};
            if (index < ranges)
                mine = record_range(g, level_columns & 0xFFFFU, level_columns >> 16, level_row, index - before);
            group.for_each_in(mine.first, mine.last - mine.first, visit);
        }
    }
}

}  // namespace throng::gpu
