// The loops of non-maximum suppression over arrays of boxes (SIMD). Pair tests are bit-identical to
// core/algo/nms_rules.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/algo/nms_rules.h"

namespace throng {

// The largest number of lanes. find_pairs may read arrays up to this many elements beyond a range, and may write
// `found` as far.
inline constexpr std::size_t kPairPadding = 16;

// Returns true if all detections are valid by a sufficient test: values of usual magnitude. false: test each.
bool certainly_valid(const Box* boxes, const float* scores, std::uint32_t count);

// count >= 1; no score is NaN.
struct ScoreRange {
    float highest, lowest;
};
ScoreRange range_of_scores(const float* scores, std::uint32_t count);

// Boxes are binned by size, one level per power of four: level l holds those with a side, as intersection_area covers
// it, of up to 2^(2 l - 126). Its cells are squares of that side.
inline constexpr std::uint32_t kBoxLevels = 128;

// Coordinates this many cells or more away from 0 share one cell.
inline constexpr float kMaxCell = 1 << 29;

struct BoxExtremes {
    float least_side;         // the smallest width or height
    float largest_magnitude;  // of a left or top edge, width or height
};

// Writes the level of each box. count >= kPairPadding.
BoxExtremes find_levels(const Box* boxes, std::uint32_t count, float extent, std::uint32_t* levels);

// Writes the cell that contains the left top corner of each box, as row << column_bits | column, each modulo a power of
// two. Equals BoxGrid::cell_of. count >= kPairPadding.
void find_cells(const Box* boxes, const std::uint32_t* levels, std::uint32_t count, int column_bits, int row_bits,
                std::uint32_t* cells);

// Boxes as one array per value. A box whose left edge is infinity overlaps nothing.
struct BoxColumns {
    const float* left;
    const float* top;
    const float* width;
    const float* height;
};

// One box that is compared with many candidates.
struct PairQuery {
    Box box;
    float extent;  // pixel_extent
    Overlap overlap;
    bool is_suppressor;  // the query suppresses the candidates; otherwise they suppress it
    float threshold;     // in (0, 1]
    // Only candidates with an order in [first, last) are found.
    std::int32_t first, last;
};

// Writes the positions in [begin, end), ascending, of the candidates whose overlap is at least the threshold to found,
// and returns their number. order: one value per candidate.
std::uint32_t find_pairs(const BoxColumns& boxes, const std::int32_t* order, std::uint32_t begin, std::uint32_t end,
                         const PairQuery& query, std::uint32_t* found);

}  // namespace throng
