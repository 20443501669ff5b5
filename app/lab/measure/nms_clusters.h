// Generates boxes similar to a detector's: clusters of candidate windows around faces.
#pragma once

#include <cstdint>

#include <string_view>
#include <utility>

#include "core/detect/detection.h"

namespace throng {

// Order of the boxes in the buffer.
enum class BoxOrder : std::uint8_t {
    cascade,  // levels of a factor of 1.1 from small to large boxes, then rows, then columns: as a cascade appends them
    cluster,  // the boxes of a face next to each other
    shuffled,  // random
};
inline constexpr std::pair<std::string_view, BoxOrder> kBoxOrderNames[] = {
    {"cascade", BoxOrder::cascade}, {"cluster", BoxOrder::cluster}, {"shuffled", BoxOrder::shuffled}};

struct ClusterLayout {
    std::int32_t boxes = 1027;
    std::int32_t cluster = 20;  // boxes per face
    std::uint64_t seed = 1;
    bool dense = false;  // a smaller plane, on which clusters overlap; otherwise about one face in ten overlaps another
};

// Returns faces of 24 to 200 pixels. Boxes are shifted by up to a tenth of the side and 0.85 to 1.2 times as large,
// with scores in [0, 1), in cluster order. The result is the same on every machine.
[[nodiscard]] DetectionSet make_clusters(const ClusterLayout& layout);

// Reorders boxes without optional fields. seed: of the random order. `source` of each box becomes its new index.
void reorder(DetectionSet& set, BoxOrder order, std::uint64_t seed);

}  // namespace throng
