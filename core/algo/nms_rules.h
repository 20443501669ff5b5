// The pair rules of non-maximum suppression. CPU and GPU share this code.
// Sources: D. Oro et al., Work-efficient parallel non-maximum suppression kernels (The Computer Journal), section 3;
// N. Bodla et al., Soft-NMS (ICCV 2017), section 3; S. Liu et al., Adaptive NMS (CVPR 2019), algorithm 1;
// N. O. Salscheider, FeatureNMS (arXiv 2002.07662), algorithm 1.
// All arithmetic is float32 in the order written here. It must be compiled without contraction (-ffp-contract=off,
// --fmad=false), so that results are bit-identical on CPU and GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/algo/box.h"
#include "core/algo/host_device.h"

namespace throng {

enum class Overlap : std::uint8_t { iou, suppressor, min };
enum class PairRule : std::uint8_t { overlap, adaptive, feature };
enum class PixelConvention : std::uint8_t { continuous, inclusive };
// strict: equal scores never suppress each other. index: the smaller buffer index precedes at equal scores, as in a
// stable sort by descending score.
enum class Ties : std::uint8_t { total, strict, index };
enum class Compare : std::uint8_t { at_least, above };  // overlap >= theta or overlap > theta

// Returns the extent added to every width and height: 1 for inclusive pixels, otherwise 0.
TH_HD float pixel_extent(PixelConvention pixels) {
    return pixels == PixelConvention::inclusive ? 1.0F : 0.0F;
}

// Maximum area of a valid detection, with inclusive pixels: an eighth of the largest float. Edges are rounded, so an
// intersection may have up to twice the width and twice the height of either box. The limit keeps the intersection and
// the sum of two areas finite.
inline constexpr float kMaxBoxArea = 0x1p125F;

// Returns false for a detection with a non-finite value, without extent, or beyond the range of float32: its right or
// bottom edge is not finite, its area rounds to 0, or its area exceeds kMaxBoxArea. The overlap of two valid detections
// is never NaN.
TH_HD bool is_valid_detection(Box b, float score) {
    constexpr float kMaxFloat = 3.402823466e+38F;
    // NaN fails every comparison, infinity the bounds. A finite right edge has a finite left edge and width.
    return b.x >= -kMaxFloat && b.x + b.w <= kMaxFloat && b.y >= -kMaxFloat && b.y + b.h <= kMaxFloat && b.w > 0.0F &&
           b.h > 0.0F && b.w * b.h > 0.0F && (b.w + 1.0F) * (b.h + 1.0F) <= kMaxBoxArea && score >= -kMaxFloat &&
           score <= kMaxFloat;
}

TH_HD float box_area(Box b, float extent) {
    return (b.w + extent) * (b.h + extent);
}

// Returns the area of the intersection, 0 if the boxes are disjoint.
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

// Returns the overlap of i with its suppressor j; the areas are those of box_area.
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

// Returns true if a ≻ b in the order of every Ties but index: higher score, larger area, then smaller x, y, w, h, then smaller buffer
// index.
// This area is w * h in both pixel conventions.
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

// Returns true if j, which precedes i, suppresses i by overlap: at or above the threshold.
TH_HD bool overlap_suppresses(Overlap kind, Box i, Box j, float extent, float theta) {
    return pair_overlap(kind, i, j, extent) >= theta;
}

// Returns the least float32 overlap that suppresses: theta, or with Compare::above the next float. So every engine
// compares with >=. theta must be in [0, 1].
TH_HD float suppression_threshold(Compare compare, float theta) {
    if (compare == Compare::at_least) return theta;
    std::int32_t bits = 0;
    __builtin_memcpy(&bits, &theta, sizeof bits);
    bits = theta > 0.0F ? bits + 1 : 1;  // -0 as 0
    float next = 0.0F;
    __builtin_memcpy(&next, &bits, sizeof next);
    return next;
}

// Returns false if `ties` forbids j, which precedes i, to suppress i. With Ties::strict, the paper's rule, equal scores
// never suppress each other.
TH_HD bool may_suppress(Ties ties, float score_i, float score_j) {
    return ties != Ties::strict || score_j > score_i;
}

// Adaptive NMS: the threshold rises with the density d_j in [0, 1] around the suppressor. A density of NaN counts as 0.
TH_HD float adaptive_threshold(float theta, float density_j) {
    return density_j > theta ? density_j : theta;
}

// Returns the Euclidean distance of two embeddings, summed in the order of their components.
TH_HD float feature_distance(const float* a, const float* b, std::int32_t size) {
    float sum = 0.0F;
    for (std::int32_t k = 0; k < size; ++k) {
        const float difference = a[k] - b[k];
        sum += difference * difference;
    }
    return std::sqrt(sum);
}

// FeatureNMS: high IoU suppresses, low IoU does not, and in between the embeddings decide.
TH_HD bool feature_suppresses(float iou, float low, float high, float max_distance, const float* feature_i,
                              const float* feature_j, std::int32_t size) {
    if (iou >= high) return true;
    return iou > low && feature_distance(feature_i, feature_j, size) <= max_distance;
}

// Returns e^x for x <= 0 with an error of about 1 ulp. Bit-identical on CPU and GPU, which the exp functions of the
// libraries do not guarantee. Range reduction by Cody and Waite, polynomial of the Cephes library's expf; 0 below -87.
TH_HD float exp_decay(float x) {
    if (!(x > -87.0F)) return 0.0F;
    const float k = std::floor(x * 1.44269504088896341F + 0.5F);  // x = k ln 2 + r
    const float r = (x - k * 0.693359375F) - k * -2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = (p * r * r + r) + 1.0F;
    const std::int32_t bits = (static_cast<std::int32_t>(k) + 127) << 23;  // 2^k
    float scale = 0.0F;
    __builtin_memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

// Soft-NMS: returns the factor for the score of a remaining detection. An overlap of NaN gives 1.
TH_HD float soft_linear_factor(float iou, float theta) {
    return iou >= theta ? 1.0F - iou : 1.0F;
}
TH_HD float soft_gaussian_factor(float iou, float sigma) {
    return iou > 0.0F ? exp_decay(-(iou * iou) / sigma) : 1.0F;
}

// Soft-NMS: returns true if a remaining detection is dropped. A score of NaN is dropped.
TH_HD bool soft_drops(float score, float score_min) {
    return !(score >= score_min);
}

// Returns true if the scores of a kept detection's members can be weights: none is negative and not all are 0.
// Otherwise the weighted merge is the plain mean. The highest and lowest scores are those of the first and last member
// in the order of precedes.
TH_HD bool scores_can_weigh(float highest, float lowest) {
    return lowest >= 0.0F && highest > 0.0F;
}

// Sums the members of a kept detection for its merged box: weight 1 for the mean, the score for the weighted mean.
// Members are added in the order of precedes.
struct BoxSum {
    double x = 0, y = 0, w = 0, h = 0, weight = 0;
};

TH_HD void add_member(BoxSum& sum, Box b, double weight) {
    sum.x += weight * static_cast<double>(b.x);
    sum.y += weight * static_cast<double>(b.y);
    sum.w += weight * static_cast<double>(b.w);
    sum.h += weight * static_cast<double>(b.h);
    sum.weight += weight;
}

TH_HD Box mean_box(const BoxSum& sum) {
    return Box{static_cast<float>(sum.x / sum.weight), static_cast<float>(sum.y / sum.weight),
               static_cast<float>(sum.w / sum.weight), static_cast<float>(sum.h / sum.weight)};
}

}  // namespace throng
