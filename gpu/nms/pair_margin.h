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
template <typename Real>
struct BasicPairBox {
    Real left, top, right, bottom;
    Real share;  // twice the area times the factor of the rule; infinite: absent or invalid; NaN: not regular
};

using PairBox = BasicPairBox<float>;

// Constants of a rule.
template <typename Real>
struct BasicPairMarginRule {
    Real factor;  // t/(1+t) or t
    Real
        tolerance;  // times the share of i: margins within it are uncertain; infinite: all pairs must be tested exactly
};
using PairMarginRule = BasicPairMarginRule<float>;

template <typename Real>
TH_HD BasicPairMarginRule<Real> make_pair_margin_rule(Overlap overlap, Real theta) {
    const Real factor = overlap == Overlap::iou ? theta / (1 + theta) : theta;
    // Near the threshold t A_j and t/(1+t) (A_i + A_j) are about I, which is at most 1.02 A_i; t min(A_i, A_j) is at
    // most t A_i. So the tolerance is at least a relative 1e-5 of the compared values.
    const Real tolerance = overlap == Overlap::min ? Real(1.1e-5) : Real(1.1e-5) / factor;
    return {factor, theta >= Real(1e-3) ? tolerance : static_cast<Real>(INFINITY)};
}

// Returns true if the area between the rounded edges is about w * h, and if products of areas stay in range. Then an
// intersection is at most 1.02 times the area of either box.
template <typename Real>
TH_HD bool is_regular_area(Real area) {
    return area > Real(1e-25) && area < Real(1e30);
}
TH_HD bool is_regular(Box b, float extent) {
    const float area = box_area(b, extent);
    const float between = (((b.x + b.w) - b.x) + extent) * (((b.y + b.h) - b.y) + extent);
    return std::fabs(between - area) <= 0.01F * area && is_regular_area(area);
}

TH_HD PairBox make_pair_box(Box b, float extent, const PairMarginRule& rule) {
    const float share = is_regular(b, extent) ? 2.0F * (rule.factor * box_area(b, extent)) : NAN;
    return {b.x, b.y, b.x + b.w, b.y + b.h, share};
}

// An absent or invalid detection. It overlaps no other: margins with it are negative and certain.
template <typename Real = float>
TH_HD BasicPairBox<Real> no_pair_box() {
    return {Real(1e30), Real(1e30), Real(-1e30), Real(-1e30), Real(INFINITY)};
}
template <typename Real>
TH_HD bool is_present(const BasicPairBox<Real>& b) {
    return b.right >= b.left;
}

// Returns the least intersection that suppresses, by the shares of both.
template <typename Real>
TH_HD Real needed_share(Overlap overlap, Real share_i, Real share_j) {
    return overlap == Overlap::iou          ? share_i + share_j
           : overlap == Overlap::suppressor ? share_j
                                            : std::fmin(share_i, share_j);
}

// Returns a number that is positive if j, which precedes i, has enough overlap with i, and negative if not; uncertain
// if its absolute value is at most tolerance * share of i. Both boxes must be regular.
template <Overlap kOverlap, PixelConvention kPixels, typename Real>
TH_HD Real pair_margin(const BasicPairBox<Real>& i, const BasicPairBox<Real>& j) {
    const Real left = std::fmax(i.left, j.left);
    const Real top = std::fmax(i.top, j.top);
    const Real right = std::fmin(i.right, j.right);
    const Real bottom = std::fmin(i.bottom, j.bottom);
    Real width = right - left;
    Real height = bottom - top;
    if constexpr (kPixels == PixelConvention::inclusive) {
        width += 1.0F;
        height += 1.0F;
    }
    width += std::fabs(width);  // if only the height is negative, so is the product
    return std::fma(width, height, -needed_share(kOverlap, i.share, j.share));
}

}  // namespace throng::gpu
