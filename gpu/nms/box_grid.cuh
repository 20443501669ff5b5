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

__device__ __forceinline__ GridRecord load_record(const BoxGrid& g, std::uint32_t r) {
    const float4* from = reinterpret_cast<const float4*>(g.records + r);
    const float4 a = from[0];
    const float4 b = from[1];
    return {a.x, a.y, a.z, a.w, b.x, b.y, __float_as_uint(b.z), __float_as_uint(b.w)};
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

// Computes the cells to search for the detections near a box. Two ways: by size, for pairs whose IoU must reach a
// ratio t in a frame that is not coarse; otherwise all boxes that intersect.
class SearchArea {
public:
    int lowest, highest;  // levels

    __device__ __forceinline__ SearchArea(const BoxGrid& g, const SearchPlan& plan, const GridRecord& box, float extent)
        : lowest(plan.lowest), highest(plan.highest), left_(box.left), top_(box.top), group_(box.group) {
        if (by_size(g, plan)) {
            // All is finite here.
            right_ = __fadd_ru(box.right, extent);
            bottom_ = __fadd_ru(box.bottom, extent);
            width_ = __fsub_ru(right_, left_);
            height_ = __fsub_ru(bottom_, top_);
            // Boxes of a level have their longer side in (cell / 2, cell], those of the lowest of all in (0, cell].
            const float side = fmaxf(width_, height_);
            const float most = 2.0F * g.bounds.inverse * side;
            const int level_of_most = static_cast<int>(__float_as_uint(most) >> 23) - 127 - kLowestExponent;
            lowest = max(lowest, level_of(g.bounds.ratio * side));
            highest = min(highest, max(level_of_most, 0));
        } else {
            const Extents e = extents_between(box.left, box.top, box.right, box.bottom, extent);
            right_ = e.right;
            bottom_ = e.bottom;
            width_ = e.width;
            height_ = e.height;
        }
    }

    [[nodiscard]] __device__ __forceinline__ CellRect on(int level, const BoxGrid& g, const SearchPlan& plan) const {
        CellRect near;
        const auto above = static_cast<std::uint32_t>(level - plan.lowest);
        if (above < 32 && (plan.present >> above & 1U) == 0) return near;
        int left, right, top, bottom;
        if (by_size(g, plan)) {
            const float cell = cell_size(level);
            const float scale = __uint_as_float((254U << 23) - __float_as_uint(cell));  // its reciprocal
            range_by_size(left_, right_, width_, cell, scale * static_cast<float>(BoxGrid::kFine), g.bounds, left,
                          right);
            range_by_size(top_, bottom_, height_, cell, scale, g.bounds, top, bottom);
        } else {
            const float scale = cell_scale(level);
            const float fine = scale * static_cast<float>(BoxGrid::kFine);
            left = cell_coordinate(left_, fine) - BoxGrid::kFine;
            right = cell_coordinate(right_, fine);
            top = cell_coordinate(top_, scale) - 1;
            bottom = cell_coordinate(bottom_, scale);
        }
        // The table is folded: more than all of it would be looked at twice.
        near.column = column_of(g, level, group_, left);
        near.width = min(static_cast<std::uint32_t>(right) - static_cast<std::uint32_t>(left), g.columns - 1) + 1;
        near.row = row_of(g, level, group_, top);
        near.height = min(static_cast<std::uint32_t>(bottom) - static_cast<std::uint32_t>(top), g.rows - 1) + 1;
        return near;
    }

private:
    __device__ __forceinline__ static bool by_size(const BoxGrid& g, const SearchPlan& plan) {
        return g.bounds.ratio > 0.0F && plan.coarse == 0;
    }
    // The cells where the near edges of boxes of a level may lie that meet [start, end) by t of the wider one's width:
    // a box of width v begins at or behind start + t max(width, v) - v, which falls as v grows, and at or before
    // end - t width. No cell is so far away that its number would not fit.
    __device__ __forceinline__ static void range_by_size(float start, float end, float width, float cell, float scale,
                                                         const SearchBounds& bounds, int& first, int& last) {
        const float widest = fminf(cell, width * bounds.inverse);
        const float slack = 1e-6F * (fabsf(start) + width + widest);
        first = __float2int_rd((start + (bounds.ratio * fmaxf(width, widest) - widest) - slack) * scale);
        last = __float2int_rd((end - bounds.ratio * width + slack) * scale);
    }

    float left_, top_, right_, bottom_;  // as in Extents
    float width_, height_;
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
