// Spans of time on the command line.
#pragma once

#include <string>
#include <vector>

namespace throng {

// A span of time in seconds, both ends included.
struct TimeSpan {
    double first = 0;
    double last = 0;
    std::string text{};  // as given, for messages
};

// Parses "12.5-20,1:00-1:30,2:00:00-": seconds, minutes:seconds or hours:minutes:seconds; an empty end is the end of
// the video. Throws Error(usage).
[[nodiscard]] std::vector<TimeSpan> parse_spans(const std::string& text);

// Returns true if the span touches a frame that is shown from `pts` until `end`.
[[nodiscard]] bool in_span(const TimeSpan& span, double pts, double end);

}  // namespace throng
