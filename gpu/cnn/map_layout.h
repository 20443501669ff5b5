// Which maps lie where in one piece of device memory: those whose lives do not overlap share it, so that less of it is
// needed and more of it stays in the cache.
#pragma once

#include <cstddef>
#include <vector>

namespace throng::gpu {

// A map is written in step `first` and read for the last time in step `last`.
struct MapLife {
    std::size_t bytes = 0;  // 0: none
    int first = 0, last = 0;
};

struct MapLayout {
    std::vector<std::size_t> offsets;  // bytes, of each life; multiples of 256
    std::size_t bytes = 0;
};

[[nodiscard]] MapLayout lay_out(const std::vector<MapLife>& lives);

}  // namespace throng::gpu
