// Generates boxes similar to a detector's: clusters of candidate windows around faces.
#pragma once

#include <cstdint>

#include "core/detect/detection.h"

namespace throng {

struct ClusterLayout {
    std::int32_t boxes = 1027;
    std::int32_t cluster = 20;  // boxes per face
    std::uint64_t seed = 1;
    bool dense = false;  // a smaller plane, on which clusters overlap; otherwise about one face in ten overlaps another
};

// Returns faces of 24 to 200 pixels. Boxes are shifted by up to a tenth of the side and 0.85 to 1.2 times as large,
// with scores in [0, 1). The result is the same on every machine.
[[nodiscard]] DetectionSet make_clusters(const ClusterLayout& layout);

}  // namespace throng
