#include "core/base/rolling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace throng {

RollingStatistics::RollingStatistics(std::size_t window) : window_(std::max<std::size_t>(window, 1)) {
    ring_.reserve(window_);
}

void RollingStatistics::add(double sample) {
    if (ring_.size() < window_) {
        ring_.push_back(sample);
    } else {
        ring_[count_ % window_] = sample;
    }
    ++count_;
}

void RollingStatistics::clear() {
    ring_.clear();
    count_ = 0;
}

RollingSummary RollingStatistics::summary() const {
    RollingSummary result;
    if (ring_.empty()) return result;
    std::vector<double> ascending = ring_;
    std::sort(ascending.begin(), ascending.end());
    result.last = ring_[(count_ - 1) % window_];
    result.mean = std::accumulate(ascending.begin(), ascending.end(), 0.0) / static_cast<double>(ascending.size());
    result.p50 = percentile(ascending, 0.50);
    result.p99 = percentile(ascending, 0.99);
    result.max = ascending.back();
    result.count = count_;
    return result;
}

double percentile(const std::vector<double>& ascending, double fraction) {
    if (ascending.empty()) return 0;
    const double rank = std::ceil(fraction * static_cast<double>(ascending.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return ascending[std::min(index, ascending.size() - 1)];
}

}  // namespace throng
