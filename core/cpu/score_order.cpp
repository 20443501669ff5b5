#include "core/cpu/score_order.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace throng {
namespace {

constexpr std::size_t kRadixFrom = 128;  // below, std::sort is as fast
constexpr std::size_t kWideFrom = 1024;  // below, 8-bit digits are faster

}  // namespace

namespace {

// Stable radix sort by the upper half, least significant digit first. A digit that all keys share is skipped.
template <unsigned kBits>
void radix_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other) {
    constexpr std::size_t kDigits = std::size_t{1} << kBits;
    constexpr std::size_t kPasses = (32 + kBits - 1) / kBits;
    const auto digit = [](std::uint64_t key, std::size_t pass) { return (key >> (32 + pass * kBits)) & (kDigits - 1); };

    std::array<std::array<std::uint32_t, kDigits>, kPasses> counts{};
    for (const std::uint64_t key : keys) {
        for (std::size_t pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(key, pass)];
    }
    other.resize(keys.size());
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
        auto& positions = counts[pass];
        if (positions[digit(keys.front(), pass)] == keys.size()) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& position : positions) {
            const std::uint32_t count = position;
            position = sum;
            sum += count;
        }
        for (const std::uint64_t key : keys) other[positions[digit(key, pass)]++] = key;
        keys.swap(other);
    }
}

}  // namespace

void sort_score_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other) {
    if (keys.size() < kRadixFrom) {
        std::sort(keys.begin(), keys.end());
    } else if (keys.size() < kWideFrom) {
        radix_sort<8>(keys, other);  // the sums over wider digits would take most of the time
    } else {
        radix_sort<11>(keys, other);
    }
}

}  // namespace throng
