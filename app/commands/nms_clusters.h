// Boxes like a detector's: clusters of candidate windows around faces.
#pragma once

#include <cstdint>

#include "core/detect/detection.h"

namespace throng {

struct ClusterLayout {
    std::int32_t boxes = 1027;
    std::int32_t cluster = 20;  // boxes a face
    std::uint64_t seed = 1;
    bool dense = false;  // a plane so small that clusters meet; else about one face in ten meets another
};

// Faces of 24 to 200 pixels, boxes shifted by up to a tenth of the side and 0.85 to 1.2 times as large, scores in [0,
// 1). The same on every machine.
[[nodiscard]] DetectionSet make_clusters(const ClusterLayout& layout);

}  // namespace throng
