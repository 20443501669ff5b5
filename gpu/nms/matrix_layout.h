// The suppression matrix of the matrix engine: one row of bits per detection, in order. Bit j of row i is set if j,
// which precedes i, suppresses i. A tile is 32 rows or columns; a word holds the bits of a row in one tile. Rows end
// after the group of 8 tiles that contains the diagonal, so a row is a whole number of 32-byte sectors, and the matrix
// is a triangle: 1.1 MB for 4096 detections, 17 MB for 16384. Host and device.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/algo/host_device.h"

namespace throng::gpu::matrix {

constexpr std::uint32_t kTile = 32;
constexpr std::uint32_t kGroupTiles = 8;
constexpr std::uint32_t kGroup = kTile * kGroupTiles;  // detections

TH_HD std::uint32_t tiles_of(std::uint32_t detections) {
    return (detections + kTile - 1) / kTile;
}
TH_HD std::uint32_t row_words(std::uint32_t row) {
    return kGroupTiles * (row / kGroup + 1);
}
// The first word of a row; rows are contiguous.
TH_HD std::size_t row_start(std::uint32_t row) {
    const std::size_t group = row / kGroup;
    return kGroup * kGroupTiles * (group * (group + 1) / 2) + (row % kGroup) * kGroupTiles * (group + 1);
}

// A unit of work of the map kernel: the tile of rows `tile` and the group of 8 tiles of columns `group`.
struct Unit {
    std::uint32_t tile;
    std::uint32_t group;
};
TH_HD std::uint32_t units_of(std::uint32_t tiles) {
    const std::uint32_t full = tiles / kGroupTiles;
    return kGroupTiles * (full * (full + 1) / 2) + tiles % kGroupTiles * (full + 1);
}
TH_HD Unit unit_at(std::uint32_t index) {
    // The first unit of row group g is 4 g (g + 1), so g is the largest with (2 g + 1)^2 <= index + 1.
    const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<float>(index + 1)));
    const std::uint32_t row_group = (root - 1) / 2;
    const std::uint32_t rest = index - 4 * row_group * (row_group + 1);
    return {row_group * kGroupTiles + rest / (row_group + 1), rest % (row_group + 1)};
}

}  // namespace throng::gpu::matrix
