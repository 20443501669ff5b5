#include "app/options/time_spans.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/error.h"

namespace throng {
namespace {

[[noreturn]] void reject_spans(const std::string& text, const std::string& why) {
    throw Error(ErrorKind::usage, why, Setting{"only", text}, "write spans as 12.5-20,1:00-1:30");
}

// Parses "12.5", "1:30" or "1:02:03".
double parse_time(std::string_view text, const std::string& all) {
    double seconds = 0;
    for (int parts = 1;; ++parts) {
        const std::size_t colon = text.find(':');
        const std::string_view part = text.substr(0, colon);
        double value = 0;
        const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
        const bool number = failure == std::errc() && end == part.data() + part.size() && std::isfinite(value);
        if (!number || value < 0 || parts > 3 || (parts > 1 && value >= 60)) {
            reject_spans(all, "is not a time: " + std::string(text));
        }
        seconds = seconds * 60 + value;
        if (colon == std::string_view::npos) return seconds;
        text.remove_prefix(colon + 1);
    }
}

}  // namespace

std::vector<TimeSpan> parse_spans(const std::string& text) {
    std::vector<TimeSpan> spans;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view span = rest.substr(0, comma);
        const std::size_t dash = span.find('-');
        if (dash == std::string_view::npos || dash == 0) reject_spans(text, "is not a span: " + std::string(span));
        TimeSpan result;
        result.text = span;
        result.first = parse_time(span.substr(0, dash), text);
        const std::string_view last = span.substr(dash + 1);
        result.last = last.empty() ? std::numeric_limits<double>::infinity() : parse_time(last, text);
        if (result.last < result.first) reject_spans(text, "ends before it begins: " + std::string(span));
        spans.push_back(result);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        if (comma != std::string_view::npos && rest.empty()) reject_spans(text, "ends in a comma");
    }
    return spans;
}

bool in_span(const TimeSpan& span, double pts, double end) {
    return pts <= span.last && end >= span.first;
}

}  // namespace throng
