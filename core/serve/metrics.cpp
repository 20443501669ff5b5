#include "core/serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text_encoding.h"

namespace throng {
namespace {

std::string metric_number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

std::string label_text(const std::string& value) {
    std::string text;
    for (const char c : name_as_text(value)) {
        if (c == '\\' || c == '"') text += '\\';
        text += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return text;
}

}  // namespace

void Histogram::add(double seconds) {
    const auto* bucket = std::lower_bound(kSecondsBuckets.begin(), kSecondsBuckets.end(), seconds);
    ++counts_.at(static_cast<std::size_t>(bucket - kSecondsBuckets.begin()));
    sum_ += seconds;
}

void MetricsText::begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void MetricsText::add(const Labels& labels, double value) {
    add_line("", labels, "", value);
}

void MetricsText::add(const Labels& labels, const Histogram& histogram) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
        count += histogram.counts()[i];
        const std::string bound = i < kSecondsBuckets.size() ? metric_number(kSecondsBuckets.at(i)) : "+Inf";
        add_line("_bucket", labels, bound, static_cast<double>(count));
    }
    add_line("_sum", labels, "", histogram.sum());
    add_line("_count", labels, "", static_cast<double>(count));
}

void MetricsText::add_line(std::string_view suffix, const Labels& labels, std::string_view bound, double value) {
    text_ += name_;
    text_ += suffix;
    char before = '{';
    for (const auto& [name, label] : labels) {
        fmt::format_to(std::back_inserter(text_), "{}{}=\"{}\"", std::exchange(before, ','), name, label_text(label));
    }
    if (!bound.empty()) {
        fmt::format_to(std::back_inserter(text_), "{}le=\"{}\"", std::exchange(before, ','), bound);
    }
    if (before == ',') text_ += '}';
    fmt::format_to(std::back_inserter(text_), " {}\n", metric_number(value));
}

}  // namespace throng
