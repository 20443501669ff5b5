// The pair test of non-maximum suppression over arrays of boxes (SIMD). Bit-identical to core/algo/nms_rules.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/algo/nms_rules.h"

namespace throng {

// Returns true if all detections are valid by a sufficient test: values of usual magnitude. false: test each.
bool certainly_valid(const Box* boxes, const float* scores, std::uint32_t count);

// Arrays may be read up to this many elements beyond the range of a query, and `found` may be written as far.
inline constexpr std::size_t kPairPadding = 16;

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
