// The pair rules for the CPU's searches. reaches(i, area_i, j, area_j, I) returns true if j, which precedes i, has
// enough overlap to suppress it. I is the area of their intersection, areas are those of box_area, i and j are ranks.
// smallest_iou() is the smallest IoU at which a pair can suppress; 0 for any non-empty intersection.
// suppresses_everywhere(j) is true if j suppresses detections at any position (threshold 0: an empty intersection is
// enough).
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/nms_rules.h"

namespace throng {

template <Overlap kOverlap>
struct OverlapPair {
    float theta;

    [[nodiscard]] bool reaches(std::uint32_t, float area_i, std::uint32_t, float area_j, float intersection) const {
        return overlap_ratio(kOverlap, intersection, area_i, area_j) >= theta;
    }
    [[nodiscard]] float smallest_iou() const { return kOverlap == Overlap::iou ? theta : 0.0F; }
    [[nodiscard]] bool suppresses_everywhere(std::uint32_t) const { return theta <= 0.0F; }
};

struct AdaptivePair {
    float theta;
    const std::vector<std::uint32_t>& source;  // of each rank
    const float* density;                      // of each detection in the raw buffer

    [[nodiscard]] bool reaches(std::uint32_t, float area_i, std::uint32_t j, float area_j, float intersection) const {
        return overlap_ratio(Overlap::iou, intersection, area_i, area_j) >= threshold(j);
    }
    [[nodiscard]] float smallest_iou() const { return theta; }
    [[nodiscard]] bool suppresses_everywhere(std::uint32_t j) const { return threshold(j) <= 0.0F; }

    [[nodiscard]] float threshold(std::uint32_t j) const { return adaptive_threshold(theta, density[source[j]]); }
};

struct FeaturePair {
    float low;
    float high;
    float distance;
    const std::vector<std::uint32_t>& source;  // of each rank
    const float* features;                     // [detections in the raw buffer][size]
    std::int32_t size;

    [[nodiscard]] bool reaches(std::uint32_t i, float area_i, std::uint32_t j, float area_j, float intersection) const {
        return feature_suppresses(overlap_ratio(Overlap::iou, intersection, area_i, area_j), low, high, distance,
                                  feature(i), feature(j), size);
    }
    [[nodiscard]] float smallest_iou() const { return low; }
    [[nodiscard]] bool suppresses_everywhere(std::uint32_t) const { return high <= 0.0F; }

    [[nodiscard]] const float* feature(std::uint32_t rank) const {
        return features + std::size_t{source[rank]} * static_cast<std::size_t>(size);
    }
};

}  // namespace throng
