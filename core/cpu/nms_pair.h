// The pair rules for the CPU's searches. A search yields the pairs that reach least_overlap() in the overlap kOverlap.
// If !kExact, reaches(i, j, iou) then decides whether j, which precedes i, has enough overlap to suppress it; i and j
// are ranks. smallest_iou() is the smallest IoU at which a pair can suppress; 0 for any non-empty intersection.
// suppresses_everywhere(j) is true if j suppresses detections at any position (threshold 0: an empty intersection is
// enough).
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/nms_rules.h"

namespace throng {

struct OverlapPair {
    static constexpr bool kExact = true;
    Overlap overlap;
    float theta;

    [[nodiscard]] float least_overlap() const { return theta; }
    [[nodiscard]] bool reaches(std::uint32_t, std::uint32_t, float) const { return true; }
    [[nodiscard]] float smallest_iou() const { return overlap == Overlap::iou ? theta : 0.0F; }
    [[nodiscard]] bool suppresses_everywhere(std::uint32_t) const { return theta <= 0.0F; }
};

struct AdaptivePair {
    static constexpr bool kExact = false;
    static constexpr Overlap overlap = Overlap::iou;
    float theta;
    const std::vector<std::uint32_t>& source;  // of each rank
    const float* density;                      // of each detection in the raw buffer

    [[nodiscard]] float least_overlap() const { return theta; }
    [[nodiscard]] bool reaches(std::uint32_t, std::uint32_t j, float iou) const { return iou >= threshold(j); }
    [[nodiscard]] float smallest_iou() const { return theta; }
    [[nodiscard]] bool suppresses_everywhere(std::uint32_t j) const { return threshold(j) <= 0.0F; }

    [[nodiscard]] float threshold(std::uint32_t j) const { return adaptive_threshold(theta, density[source[j]]); }
};

struct FeaturePair {
    static constexpr bool kExact = false;
    static constexpr Overlap overlap = Overlap::iou;
    float low;
    float high;
    float distance;
    const std::vector<std::uint32_t>& source;  // of each rank
    const float* features;                     // [detections in the raw buffer][size]
    std::int32_t size;

    [[nodiscard]] float least_overlap() const { return low; }
    [[nodiscard]] bool reaches(std::uint32_t i, std::uint32_t j, float iou) const {
        return feature_suppresses(iou, low, high, distance, feature(i), feature(j), size);
    }
    [[nodiscard]] float smallest_iou() const { return low; }
    [[nodiscard]] bool suppresses_everywhere(std::uint32_t) const { return high <= 0.0F; }

    [[nodiscard]] const float* feature(std::uint32_t rank) const {
        return features + std::size_t{source[rank]} * static_cast<std::size_t>(size);
    }
};

}  // namespace throng
