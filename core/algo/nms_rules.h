// The pair rules of non-maximum suppression, once for CPU and GPU.
// Sources: D. Oro et al., Work-efficient parallel non-maximum suppression kernels (The Computer Journal), section 3;
// S. Liu et al., Adaptive NMS (CVPR 2019), algorithm 1; N. O. Salscheider, FeatureNMS (arXiv 2002.07662), algorithm 1.
// All arithmetic is float32 in the order written here; it must be compiled without contraction (-ffp-contract=off,
// --fmad=false), so that both sides give the same bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/algo/box.h"
#include "core/algo/host_device.h"

namespace throng {

enum class Overlap : std::uint8_t { iou, suppressor, min };
enum class PairRule : std::uint8_t { overlap, adaptive, feature };
enum class PixelConvention : std::uint8_t { continuous, inclusive };
enum class Ties : std::uint8_t { total, strict };  // strict: equal scores never suppress each other

// The one that counts as added to every width and height: 1 for inclusive pixels, else 0.
TH_HD float pixel_extent(PixelConvention pixels) { return pixels == PixelConvention::inclusive ? 1.0F : 0.0F; }

// False for a detection with a value that is not finite, or without extent.
TH_HD bool is_valid_detection(Box b, float score) {
    const float kLargest = 3.402823466e+38F;
    // NaN fails every comparison, infinity the bounds.
    return b.x >= -kLargest && b.x <= kLargest && b.y >= -kLargest && b.y <= kLargest && b.w > 0.0F &&
           b.w <= kLargest && b.h > 0.0F && b.h <= kLargest && score >= -kLargest && score <= kLargest;
}

TH_HD float box_area(Box b, float extent) { return (b.w + extent) * (b.h + extent); }

// Area of the intersection, 0 where the boxes do not meet.
TH_HD float intersection_area(Box a, Box b, float extent) {
    const float left = a.x > b.x ? a.x : b.x;
    const float top = a.y > b.y ? a.y : b.y;
    const float a_right = a.x + a.w;
    const float b_right = b.x + b.w;
    const float a_bottom = a.y + a.h;
    const float b_bottom = b.y + b.h;
    const float right = a_right < b_right ? a_right : b_right;
    const float bottom = a_bottom < b_bottom ? a_bottom : b_bottom;
    const float width = (right - left) + extent;
    const float height = (bottom - top) + extent;
    return width > 0.0F && height > 0.0F ? width * height : 0.0F;
}

// Overlap of i with its suppressor j; areas as box_area gives them.
TH_HD float overlap_ratio(Overlap kind, float intersection, float area_i, float area_j) {
    switch (kind) {
        case Overlap::iou: return intersection / ((area_i + area_j) - intersection);
        case Overlap::suppressor: return intersection / area_j;
        case Overlap::min: return intersection / (area_i < area_j ? area_i : area_j);
    }
    return 0.0F;
}

TH_HD float pair_overlap(Overlap kind, Box i, Box j, float extent) {
    return overlap_ratio(kind, intersection_area(i, j, extent), box_area(i, extent), box_area(j, extent));
}

// The total order a ≻ b: higher score, larger area, then smaller x, y, w, h, then smaller buffer index.
// The area here is w * h whatever the pixel convention.
TH_HD bool precedes(Box a, float score_a, std::uint32_t index_a, Box b, float score_b, std::uint32_t index_b) {
    if (score_a != score_b) return score_a > score_b;
    const float area_a = a.w * a.h;
    const float area_b = b.w * b.h;
    if (area_a != area_b) return area_a > area_b;
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    if (a.w != b.w) return a.w < b.w;
    if (a.h != b.h) return a.h < b.h;
    return index_a < index_b;
}

// Whether j, which precedes i, suppresses it under the plain rule: overlap at or over the threshold.
TH_HD bool overlap_suppresses(Overlap kind, Box i, Box j, float extent, float theta) {
    return pair_overlap(kind, i, j, extent) >= theta;
}

// Adaptive NMS: the threshold rises with the density d_j in [0, 1] around the suppressor.
TH_HD bool adaptive_suppresses(Overlap kind, Box i, Box j, float extent, float theta, float density_j) {
    return pair_overlap(kind, i, j, extent) >= (theta > density_j ? theta : density_j);
}

}  // namespace throng
