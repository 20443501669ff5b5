// The few libm functions that the crowd needs, from + - * / alone: results of libm differ in the last bits between
// machines. Accurate to about a thousandth, which is invisible in a motion.
#pragma once

#include <cmath>

namespace throng::synth {

// Returns sin(2 pi turns) for any finite argument. std::floor is exact.
[[nodiscard]] inline double sine_of_turns(double turns) noexcept {
    const double p = turns - std::floor(turns);
    const double half = p < 0.5 ? p : p - 0.5;
    const double wave = 16.0 * half * (0.5 - half);  // a parabola with the sine's zeros and peak
    const double better = wave * (0.775 + 0.225 * wave);
    return p < 0.5 ? better : -better;
}

struct Rotation {
    float cosine = 1;
    float sine = 0;
};

// Returns a rotation by an angle in radians, |angle| <= 1.
[[nodiscard]] inline Rotation rotation(float angle) noexcept {
    const float a2 = angle * angle;
    return {1.0F - a2 * (0.5F - a2 * (1.0F / 24.0F)), angle * (1.0F - a2 * (1.0F / 6.0F - a2 * (1.0F / 120.0F)))};
}

[[nodiscard]] inline float clamped(float x, float low, float high) noexcept {
    return x < low ? low : (x > high ? high : x);
}

// std::sqrt is correctly rounded by IEEE 754 and therefore the same everywhere.
[[nodiscard]] inline float root(float x) noexcept {
    return std::sqrt(x > 0.0F ? x : 0.0F);
}

}  // namespace throng::synth
