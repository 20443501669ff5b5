// Decides by a product instead of a division whether two boxes overlap enough, without a branch. Nearly all pairs are
// decided; the others must be tested as in core/algo/nms_rules.h. Host and device.
//
// With I the area of the intersection and t the threshold:
//   IoU:        I / (A_i + A_j - I) >= t   where  I >= t/(1+t) A_i + t/(1+t) A_j
//   suppressor: I / A_j >= t               where  I >= t A_j
//   min:        I / min(A_i, A_j) >= t     where  I >= min(t A_i, t A_j)
// The intersection is computed as in intersection_area, so both sides of a comparison differ from the exact ones only
// by the rounding of a few products: less than a relative 1e-6, as long as edges agree with widths (is_regular). All
// areas are doubled, because max(width, 0) is computed as (width + |width|) / 2: additions are twice as fast as maxima.
#pragma once

#include <cmath>

#include "core/algo/nms_rules.h"

namespace throng::gpu {

// A detection as the test reads it.
struct PairBox {
    float left, top, right, bottom;
    float share;  // twice the area times the factor of the rule; infinite: absent or invalid; NaN: not regular
};

// Constants of a rule.
struct PairMarginRule {
    float factor;     // t/(1+t) or t
    float tolerance;  // times the share of i: margins within it are uncertain
    bool usable;      // false: all pairs must be tested exactly
};

TH_HD PairMarginRule make_pair_margin_rule(Overlap overlap, float theta) {
    const float factor = overlap == Overlap::iou ? theta / (1.0F + theta) : theta;
    // Near the threshold t A_j and t/(1+t) (A_i + A_j) are about I, which is at most 1.02 A_i; t min(A_i, A_j) is at
    // most t A_i. So the tolerance is at least a relative 1e-5 of the compared values.
    const float tolerance = overlap == Overlap::min ? 1.1e-5F : 1.1e-5F / factor;
    return {factor, tolerance, theta >= 1e-3F};
}

// Returns true if the area between the rounded edges is about w * h, and if products of areas stay in range. Then an
// intersection is at most 1.02 times the area of either box.
TH_HD bool is_regular(Box b, float extent) {
    const float area = box_area(b, extent);
    const float between = (((b.x + b.w) - b.x) + extent) * (((b.y + b.h) - b.y) + extent);
    return std::fabs(between - area) <= 0.01F * area && area > 1e-25F && area < 1e30F;
}

TH_HD PairBox make_pair_box(Box b, float extent, const PairMarginRule& rule) {
    const float share = is_regular(b, extent) ? 2.0F * (rule.factor * box_area(b, extent)) : NAN;
    return {b.x, b.y, b.x + b.w, b.y + b.h, share};
}

// An absent or invalid detection. It overlaps no other: margins with it are negative and certain.
TH_HD PairBox no_pair_box() {
    return {1e30F, 1e30F, -1e30F, -1e30F, INFINITY};
}
TH_HD bool is_present(const PairBox& b) {
    return b.right >= b.left;
}

// Returns a number that is positive if j, which precedes i, has enough overlap with i, and negative if not; uncertain
// if its absolute value is at most tolerance * share of i. Both boxes must be regular.
template <Overlap kOverlap, PixelConvention kPixels>
TH_HD float pair_margin(const PairBox& i, const PairBox& j) {
    const float left = std::fmax(i.left, j.left);
    const float top = std::fmax(i.top, j.top);
    const float right = std::fmin(i.right, j.right);
    const float bottom = std::fmin(i.bottom, j.bottom);
    float width = right - left;
    float height = bottom - top;
    if constexpr (kPixels == PixelConvention::inclusive) {
        width += 1.0F;
        height += 1.0F;
    }
    width += std::fabs(width);  // if only the height is negative, so is the product
    const float needed = kOverlap == Overlap::iou          ? i.share + j.share
                         : kOverlap == Overlap::suppressor ? j.share
                                                           : std::fmin(i.share, j.share);
    return std::fma(width, height, -needed);
}

}  // namespace throng::gpu
