// Random numbers that are the same on every machine: a hash of (seed, stream, counter). Any number can be computed
// without its predecessors. Source: G. Steele et al., Fast Splittable Pseudorandom Number Generators (OOPSLA 2014),
// SplitMix64.
#pragma once

#include <cstdint>

namespace throng::synth {

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

// A separate sequence for every (seed, stream).
class Random {
public:
    constexpr Random(std::uint64_t seed, std::uint64_t stream) noexcept : state_(mixed(seed) ^ mixed(~stream)) {}

    constexpr std::uint64_t next() noexcept { return mixed(state_++); }

    // Returns a value in [0, 1), exact in float.
    constexpr float unit() noexcept { return static_cast<float>(next() >> 40U) * (1.0F / 16777216.0F); }
    constexpr float between(float low, float high) noexcept { return low + (high - low) * unit(); }
    constexpr bool chance(float probability) noexcept { return unit() < probability; }
    // Returns a value from 0 to n - 1; n > 0.
    constexpr int below(int n) noexcept {
        return static_cast<int>((next() >> 32U) * static_cast<std::uint64_t>(n) >> 32U);
    }

private:
    std::uint64_t state_;
};

}  // namespace throng::synth
