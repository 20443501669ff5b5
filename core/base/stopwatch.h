// Measures wall-clock time by the steady clock.
#pragma once

#include <chrono>

namespace throng {

[[nodiscard]] inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Measures the time since construction or the last call.
class Stopwatch {
public:
    void add_to(double& ms) {
        const auto now = std::chrono::steady_clock::now();
        ms += std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace throng
