// The pair rules of non-maximum suppression, once for CPU and GPU.
// Sources: D. Oro et al., Work-efficient parallel non-maximum suppression kernels (The Computer Journal), section 3;
// N. Bodla et al., Soft-NMS (ICCV 2017), section 3; S. Liu et al., Adaptive NMS (CVPR 2019), algorithm 1;
// N. O. Salscheider, FeatureNMS (arXiv 2002.07662), algorithm 1.
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
TH_HD float pixel_extent(PixelConvention pixels) {
    return pixels == PixelConvention::inclusive ? 1.0F : 0.0F;
}

// Largest area of a valid detection, with inclusive pixels: an eighth of the largest float. Edges are rounded, so that
// an intersection may have up to twice the width and twice the height of either box: it and the sum of two areas are
// finite.
inline constexpr float kMaxBoxArea = 0x1p125F;

// False for a detection with a value that is not finite, without extent, or beyond the range of float32: its right or
// bottom edge is not finite, its area rounds to 0, or it is larger than kMaxBoxArea. Every overlap of two valid
// detections is a number.
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

// Paper's own rule, ties strict: equal scores never suppress each other. j precedes i.
TH_HD bool may_suppress(Ties ties, float score_i, float score_j) {
    return ties == Ties::total || score_j > score_i;
}

// Adaptive NMS: the IoU that suppresses rises with the density d_j in [0, 1] around the suppressor.
// A density that is not a number counts as 0.
TH_HD float adaptive_threshold(float theta, float density_j) {
    return density_j > theta ? density_j : theta;
}

TH_HD bool adaptive_suppresses(Box i, Box j, float extent, float theta, float density_j) {
    return pair_overlap(Overlap::iou, i, j, extent) >= adaptive_threshold(theta, density_j);
}

// Euclidean distance of two embeddings, summed in the order of their components.
TH_HD float feature_distance(const float* a, const float* b, std::int32_t size) {
    float sum = 0.0F;
    for (std::int32_t k = 0; k < size; ++k) {
        const float difference = a[k] - b[k];
        sum += difference * difference;
    }
    return std::sqrt(sum);
}

// FeatureNMS: high IoU suppresses, low IoU does not, and in between the embeddings decide.
TH_HD bool feature_suppresses(float iou, float low, float high, float largest_distance, const float* feature_i,
                              const float* feature_j, std::int32_t size) {
    if (iou >= high) return true;
    return iou > low && feature_distance(feature_i, feature_j, size) <= largest_distance;
}

// e^x for x <= 0 with an error of about one unit in the last place: the same bits on CPU and GPU, which the libraries'
// exp does not promise. Range reduction by Cody and Waite, polynomial of the Cephes library's expf; 0 below -87.
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

// Soft-NMS: what the score of a remaining detection is multiplied by. An overlap that is not a number changes nothing.
TH_HD float soft_linear_factor(float iou, float theta) {
    return iou >= theta ? 1.0F - iou : 1.0F;
}
TH_HD float soft_gaussian_factor(float iou, float sigma) {
    return iou > 0.0F ? exp_decay(-(iou * iou) / sigma) : 1.0F;
}

// Soft-NMS: whether a remaining detection is given up. A score that is not a number is.
TH_HD bool soft_drops(float score, float score_min) {
    return !(score >= score_min);
}

// Whether the scores of a kept detection's members can be weights: none is negative and not all are 0. Otherwise the
// weighted merge is the plain mean. The members' highest and lowest score are those of the first and last in precedes.
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
