// Layout of the integral images of all pyramid levels: side by side on shelves of one wide image, so that a feature has
// the same offset from a window's corner on every level.
#pragma once

#include <cstdint>
#include <vector>

namespace throng::gpu {

struct ImageSize {
    int width, height;  // pixels
};

// One level's integral image: (width + 1) x (height + 1) entries; the first row and column are 0.
struct AtlasRegion {
    int width, height;  // pixels of the level
    int x, y;           // entry (0, 0); x = 3 mod 4, so that column 1 (the first pixel) is 16-byte aligned
    int shelf_end;      // first row below the level's shelf
};

struct Atlas {
    int pitch = 0;  // entries per row, a multiple of 32
    int rows = 0;
    std::vector<AtlasRegion> regions;  // in the order of the sizes; by shelves from the top, on a shelf from the left

    // Returns entry (0, 0) of a region.
    [[nodiscard]] std::int64_t origin(const AtlasRegion& region) const {
        return static_cast<std::int64_t>(region.y) * pitch + region.x;
    }
    [[nodiscard]] std::int64_t entries() const { return static_cast<std::int64_t>(pitch) * rows; }
};

// Sizes in descending order waste the least space.
[[nodiscard]] Atlas pack_atlas(const std::vector<ImageSize>& sizes);

}  // namespace throng::gpu
