// Detections on the host, after a download.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algo/box.h"

namespace throng {

// One detected object. The box is in pixels of the frame. hits is the number of raw detections that it represents,
// itself included. confidence is in [0, 1] and comparable between detectors (confidence_of in detector_kinds.h); 0 in
// detections that no pipeline has read back.
struct Detection {
    Box box{};
    float score = 0;
    std::int32_t hits = 1;
    std::int32_t source = -1;  // index in the raw buffer, of the representative for a merged box; -1: none
    float confidence = 0;
};

// Contents of a buffer at its download. total > detections.size() is an overflow.
struct DetectionSet {
    std::vector<Detection> detections;
    std::uint32_t total = 0;       // found, stored or not
    std::uint32_t invalid = 0;     // dropped by is_valid_detection (core/algo/nms_rules.h)
    std::uint32_t candidates = 0;  // of DetectionCount; not 0: raw detections are missing
    // Landmarks of one detection.
    struct Landmarks {
        float xy[10];  // five points x, y in pixels of the frame
    };
    std::vector<Landmarks> landmarks;
    std::vector<float> density;   // in [0, 1], for the adaptive pair rule
    std::vector<float> features;  // feature_size floats per detection, for the feature pair rule
    std::int32_t feature_size = 0;

    [[nodiscard]] std::uint32_t overflow() const noexcept {
        const auto stored = static_cast<std::uint32_t>(detections.size());
        return total > stored ? total - stored : 0;
    }
};

}  // namespace throng
