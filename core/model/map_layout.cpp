#include "core/model/map_layout.h"

#include <algorithm>
#include <numeric>

namespace throng {
namespace {

constexpr std::size_t kMapAlignment = 256;

}  // namespace

// First fit in descending order of size.
MapLayout lay_out(const std::vector<MapLife>& lives) {
    MapLayout layout;
    layout.offsets.resize(lives.size());
    std::vector<std::size_t> order(lives.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lives[a].bytes > lives[b].bytes; });
    std::vector<std::size_t> placed;
    for (const std::size_t i : order) {
        if (lives[i].bytes == 0) continue;
        std::vector<std::size_t> neighbors;
        std::copy_if(placed.begin(), placed.end(), std::back_inserter(neighbors),
                     [&](std::size_t p) { return lives[p].first <= lives[i].last && lives[i].first <= lives[p].last; });
        std::sort(neighbors.begin(), neighbors.end(),
                  [&](std::size_t a, std::size_t b) { return layout.offsets[a] < layout.offsets[b]; });
        std::size_t offset = 0;
        for (const std::size_t p : neighbors) {
            if (offset + lives[i].bytes <= layout.offsets[p]) break;
            offset = std::max(offset,
                              (layout.offsets[p] + lives[p].bytes + kMapAlignment - 1) / kMapAlignment * kMapAlignment);
        }
        layout.offsets[i] = offset;
        layout.bytes = std::max(layout.bytes, offset + lives[i].bytes);
        placed.push_back(i);
    }
    return layout;
}

}  // namespace throng
