// A hash for comparing images.
#pragma once

#include <cstdint>

#include "core/frame/frame.h"

namespace throng::test {

// Returns a hash of the visible bytes of all planes: FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) of 64 bits.
[[nodiscard]] inline std::uint64_t fingerprint(const Frame& frame) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (int p = 0; p < plane_count(frame.info().format); ++p) {
        const PlaneView& plane = frame.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            for (int x = 0; x < plane.width; ++x) hash = (hash ^ plane.data[y * plane.pitch + x]) * 0x100000001B3U;
        }
    }
    return hash;
}

}  // namespace throng::test
