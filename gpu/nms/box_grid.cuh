// Searching a BoxGrid. A group of kLanes lanes (a power of two up to a warp) searches for one box.
#pragma once

#include "gpu/nms/box_grid.h"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

constexpr int kLowestExponent = -16;  // smaller boxes share the cells of 2^-16 pixels
constexpr int kHighestExponent = 128;
static_assert(kHighestExponent - kLowestExponent < GridHeader::kLevelWords * 32);

// What a box covers as intersection_area sees it: edges rounded to float32, one pixel more where inclusive. Rounded
// upwards, so that boxes that meet have extents that do.
struct Extents {
    float left, top, right, bottom;
    float width, height;
};

__device__ __forceinline__ float finite(float v) {
    return fminf(v, 3.402823466e+38F);
}

__device__ __forceinline__ Extents extents_of(Box b, float extent) {
    Extents e;
    e.left = b.x;
    e.top = b.y;
    e.right = finite(__fadd_ru(finite(b.x + b.w), extent));
    e.bottom = finite(__fadd_ru(finite(b.y + b.h), extent));
    e.width = finite(__fsub_ru(e.right, e.left));
    e.height = finite(__fsub_ru(e.bottom, e.top));
    return e;
}

// The edges are so much rounded that widths and areas no longer agree.
__device__ __forceinline__ bool is_coarse(const Extents& e, Box b, float extent) {
    return !(e.width <= (b.w + extent) * 1.004F && e.height <= (b.h + extent) * 1.004F &&
             b.w + extent <= e.width * 1.004F && b.h + extent <= e.height * 1.004F);
}

// The smallest power of two that no side exceeds, from 0.
__device__ __forceinline__ int level_of(const Extents& e) {
    const std::uint32_t bits = __float_as_uint(fmaxf(fmaxf(e.width, e.height), 0.0F));
    const int exponent = static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFFU) != 0 ? 1 : 0);
    return max(exponent, kLowestExponent) - kLowestExponent;
}

__device__ __forceinline__ float cell_scale(int level) {
    const int exponent = -(level + kLowestExponent);
    return exponent >= -126 ? __int_as_float((exponent + 127) << 23) : __int_as_float(1 << (exponent + 149));
}

// Never descends as v grows. Cells 2^29 and more away from 0 are one.
__device__ __forceinline__ int cell_coordinate(float v, float scale) {
    constexpr float kFarthest = 536870912.0F;
    return static_cast<int>(floorf(fminf(fmaxf(v * scale, -kFarthest), kFarthest)));
}

__device__ __forceinline__ std::uint32_t cell_index(const BoxGrid& g, int level, int x, int y) {
    const auto shift = static_cast<std::uint32_t>(level);
    const std::uint32_t column = (static_cast<std::uint32_t>(x) + shift * 0x9E3779B1U) & (g.columns - 1);
    const std::uint32_t row = (static_cast<std::uint32_t>(y) + shift * 0x85EBCA77U) & (g.rows - 1);
    return row * g.columns + column;
}

struct CellRange {
    int first, last;
};

// Where the near edges of boxes of a level may lie that meet [start, end) or, given the ratio t > 0, do so by t of the
// wider one's width: a box of width v begins at or behind start + t max(width, v) - v, which falls as v grows, and at
// or before end - t width.
__device__ __forceinline__ CellRange near_cells(float start, float end, float width, int level, float ratio) {
    const float scale = cell_scale(level);
    if (ratio > 0.0F) {
        const float widest = fminf(1.0F / scale, width / ratio);
        const float slack = 1e-6F * (fabsf(start) + width + widest);
        return {cell_coordinate(start + (ratio * fmaxf(width, widest) - widest) - slack, scale),
                cell_coordinate(end - ratio * width + slack, scale)};
    }
    return {cell_coordinate(start, scale) - 1, cell_coordinate(end, scale)};
}

__device__ __forceinline__ Candidate load_record(const BoxGrid& g, std::uint32_t r) {
    const std::uint64_t meta = g.meta[r];
    return {load_box(g.boxes, r), __uint_as_float(static_cast<std::uint32_t>(meta)),
            static_cast<std::uint32_t>(meta >> 32)};
}

template <int kLanes>
struct Group {
    std::uint32_t lane;  // within the group
    std::uint32_t mask;

    __device__ Group() {
        const std::uint32_t warp_lane = threadIdx.x & 31;
        lane = warp_lane & (kLanes - 1);
        mask = kLanes == 32 ? 0xFFFFFFFFU : ((1U << (kLanes & 31)) - 1) << (warp_lane & ~(kLanes - 1U));
    }
    __device__ bool any(bool value) const { return kLanes == 1 ? value : __any_sync(mask, value) != 0; }
    __device__ std::uint32_t ballot(bool value) const {  // bit l for lane l of the group
        if constexpr (kLanes == 1) return value ? 1 : 0;
        return __ballot_sync(mask, value) >> ((threadIdx.x & 31) & ~(kLanes - 1U));
    }
    __device__ std::uint32_t from(std::uint32_t value, int source) const {
        return kLanes == 1 ? value : __shfl_sync(mask, value, source, kLanes);
    }
};

// The smallest t for which pairs of IoU below it need not be found; 0: all that meet.
__device__ __forceinline__ float search_ratio(const BoxGrid& g, const NmsRuleSet& rules) {
    const bool by_size = rules.overlap == Overlap::iou && g.header->coarse == 0;
    return by_size ? rules.smallest_overlap * 0.98F : 0.0F;  // what is_coarse allows, and more
}

enum class Among { all, early, kept };

// Calls visit(position) with the positions of the records near the box (or of the entries of `kept_items` near it),
// each lane with others, some more than once, until it returns true on one lane. Returns whether it did.
template <int kLanes, Among among, class Visit>
__device__ bool search(const BoxGrid& g, const Group<kLanes>& group, const Box& box, float extent, float ratio,
                       Visit&& visit) {
    const Extents e = extents_of(box, extent);
    const float side = fmaxf(e.width, e.height);
    for (int word = 0; word < GridHeader::kLevelWords; ++word) {
        for (std::uint32_t bits = g.header->levels[word]; bits != 0; bits &= bits - 1) {
            const int level = word * 32 + __ffs(bits) - 1;
            // Boxes of this level have their longer side in (cell / 2, cell], those of the lowest in (0, cell].
            if (ratio > 0.0F) {
                const float scale = cell_scale(level);
                if (ratio * side * scale > 1.0F || (level > 0 && ratio > 2.0F * side * scale)) continue;
            }
            CellRange x = near_cells(e.left, e.right, e.width, level, ratio);
            CellRange y = near_cells(e.top, e.bottom, e.height, level, ratio);
            // The table is folded: more than all of it would be looked at twice.
            if (static_cast<std::uint32_t>(x.last - x.first) >= g.columns) x = {0, static_cast<int>(g.columns) - 1};
            if (static_cast<std::uint32_t>(y.last - y.first) >= g.rows) y = {0, static_cast<int>(g.rows) - 1};
            const std::uint32_t across = static_cast<std::uint32_t>(x.last - x.first + 1);
            const std::uint32_t cells = across * static_cast<std::uint32_t>(y.last - y.first + 1);
            for (std::uint32_t base = 0; base < cells; base += kLanes) {
                const std::uint32_t c = base + group.lane;
                std::uint32_t start = 0;
                std::uint32_t count = 0;
                if (c < cells) {
                    const GridCell cell = g.cells[cell_index(g, level, x.first + static_cast<int>(c % across),
                                                             y.first + static_cast<int>(c / across))];
                    start = cell.start;
                    count = among == Among::all     ? cell.count
                            : among == Among::early ? cell.early
                                                    : cell.early + cell.late;
                }
                for (std::uint32_t filled = group.ballot(count != 0); filled != 0; filled &= filled - 1) {
                    const int source = __ffs(filled) - 1;
                    const std::uint32_t first = group.from(start, source);
                    const std::uint32_t last = first + group.from(count, source);
                    bool stop = false;
                    for (std::uint32_t r = first + group.lane; r < last && !stop; r += kLanes) stop = visit(r);
                    if (group.any(stop)) return true;
                }
            }
        }
    }
    return false;
}

// The same among all records, for thresholds of 0, under which boxes that do not meet suppress each other, too.
template <int kLanes, class Visit>
__device__ bool search_all(std::uint32_t stored, const Group<kLanes>& group, Visit&& visit) {
    for (std::uint32_t base = 0; base < stored; base += kLanes) {
        const std::uint32_t r = base + group.lane;
        if (group.any(r < stored && visit(r))) return true;
    }
    return false;
}

}  // namespace throng::gpu
