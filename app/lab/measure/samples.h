// Times of repeated runs: the one definition of the clock, the statistics and the number of repetitions of all
// measurements.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detect/stage.h"

namespace throng {

// Milliseconds of identical runs. Percentiles are by nearest rank; 0 without runs.
class Samples {
public:
    Samples() = default;
    explicit Samples(std::vector<double> ms) : ms_(std::move(ms)) {}

    void add(double ms) { ms_.push_back(ms); }
    void add(const Samples& other) { ms_.insert(ms_.end(), other.ms_.begin(), other.ms_.end()); }

    [[nodiscard]] bool empty() const { return ms_.empty(); }
    [[nodiscard]] std::size_t size() const { return ms_.size(); }
    [[nodiscard]] double percentile(double fraction) const;
    [[nodiscard]] double median() const { return percentile(0.5); }
    [[nodiscard]] double min() const { return percentile(0); }
    [[nodiscard]] double p99() const { return percentile(0.99); }

private:
    std::vector<double> ms_;
};

// Times of identical runs and of their stages.
struct RunTimes {
    Samples total;
    std::vector<std::pair<std::string, Samples>> stages;  // in the order in which they ran first

    void add(double ms, const StageTimes& times = {});
    // Returns nothing if the stage did not run.
    [[nodiscard]] std::optional<double> stage_median(std::string_view name) const;
};

// Returns the wall-clock time of work() in milliseconds.
template <class Work>
[[nodiscard]] double milliseconds_of(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Returns how many runs of `once_ms` milliseconds fit into the budget, from 5 to 2000.
[[nodiscard]] int repeats_within(double budget_ms, double once_ms);

// Repeats work() for about budget_ms, at least once.
template <class Work>
[[nodiscard]] Samples samples_within(double budget_ms, Work&& work) {
    Samples samples;
    for (double total = 0; total < budget_ms && samples.size() < 1000;) {
        const double ms = milliseconds_of(work);
        samples.add(ms);
        total += ms;
    }
    return samples;
}

}  // namespace throng
