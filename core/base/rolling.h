// Statistics over the last N samples of a quantity, for timings that are shown live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace throng {

struct RollingSummary {
    double last = 0;
    double mean = 0;
    double p50 = 0;
    double p99 = 0;
    double max = 0;
    std::uint64_t count = 0;  // samples added in total; if 0, the other members are meaningless
};

// Keeps the last `window` samples; summary() sorts a copy of them. Not thread-safe.
class RollingStatistics {
public:
    explicit RollingStatistics(std::size_t window = 256);

    void add(double sample);
    void clear();

    // Percentiles are by nearest rank over the window; mean and max are over the window too.
    [[nodiscard]] RollingSummary summary() const;

private:
    std::vector<double> ring_;
    std::size_t window_;
    std::uint64_t count_ = 0;
};

// Returns the nearest-rank percentile of ascending samples; fraction in [0, 1]. Empty input gives 0.
[[nodiscard]] double percentile(const std::vector<double>& ascending, double fraction);

}  // namespace throng
