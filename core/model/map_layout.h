// Assigns offsets in one allocation of memory to maps. Maps whose lifetimes do not overlap share memory, so that
// less is needed and more of it stays in the cache.
#pragma once

#include <cstddef>
#include <vector>

namespace throng {

// A map is written in step `first` and last read in step `last`.
struct MapLife {
    std::size_t bytes = 0;  // 0: none
    int first = 0, last = 0;
};

struct MapLayout {
    std::vector<std::size_t> offsets;  // bytes, one per lifetime; multiples of 256
    std::size_t bytes = 0;
};

[[nodiscard]] MapLayout lay_out(const std::vector<MapLife>& lives);

}  // namespace throng
