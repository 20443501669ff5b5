// Sorts by score: keys with the score in the upper and the index in the lower half.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace throng {

// Returns a key that ascends as scores descend. -0 and +0 get the same key. score must not be NaN.
inline std::uint32_t descending_key(float score) {
    const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
    const std::uint32_t ascending = (bits >> 31U) != 0U ? ~bits : bits | 0x80000000U;
    return ~ascending;
}

// Sorts keys by their upper half; equal ones by their lower half if they arrive in ascending order of it. `other` is
// work space and keeps its memory.
void sort_score_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other);

}  // namespace throng
