#include "gpu/frame/atlas.h"

#include <algorithm>

namespace throng::gpu {
namespace {

constexpr int kFirstColumn = 3;

int next_column(int end) {
    return (end + 3 - kFirstColumn) / 4 * 4 + kFirstColumn;
}

}  // namespace

Atlas pack_atlas(const std::vector<ImageSize>& sizes) {
    Atlas atlas;
    int max_width = 0;
    for (const ImageSize& size : sizes) max_width = std::max(max_width, size.width);
    atlas.pitch = (kFirstColumn + max_width + 1 + 31) / 32 * 32;

    int x = kFirstColumn;
    std::size_t shelf_first = 0;
    const auto close_shelf = [&] {
        for (std::size_t i = shelf_first; i < atlas.regions.size(); ++i) atlas.regions[i].shelf_end = atlas.rows;
        shelf_first = atlas.regions.size();
        x = kFirstColumn;
    };
    int shelf = 0;
    for (const ImageSize& size : sizes) {
        if (x + size.width + 1 > atlas.pitch) {
            close_shelf();
            shelf = atlas.rows;
        }
        atlas.regions.push_back({size.width, size.height, x, shelf, 0});
        atlas.rows = std::max(atlas.rows, shelf + size.height + 1);
        x = next_column(x + size.width + 1);
    }
    close_shelf();
    return atlas;
}

}  // namespace throng::gpu
