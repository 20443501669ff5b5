// Metrics in the text format 0.0.4 of Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace throng {

// Seconds from 0.1 ms to 10 s: the upper bounds of the buckets.
inline constexpr std::array<double, 16> kSecondsBuckets = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                           0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};

// Not thread-safe.
class Histogram {
public:
    void add(double seconds);

    [[nodiscard]] std::span<const std::uint64_t> counts() const { return counts_; }  // not cumulative; the last: +Inf
    [[nodiscard]] double sum() const noexcept { return sum_; }

private:
    std::array<std::uint64_t, kSecondsBuckets.size() + 1> counts_{};
    double sum_ = 0;
};

// Writes families of metrics. All samples of a family follow its begin.
class MetricsText {
public:
    using Labels = std::vector<std::pair<std::string_view, std::string>>;

    // type: "counter", "gauge" or "histogram".
    void begin(std::string_view name, std::string_view type, std::string_view help);
    void add(const Labels& labels, double value);
    void add(const Labels& labels, const Histogram& histogram);

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    void add_line(std::string_view suffix, const Labels& labels, std::string_view bound, double value);

    std::string text_;
    std::string name_;
};

}  // namespace throng
