#include "app/options/run_summary.h"

#include <fmt/format.h>

#include "app/options/table.h"

namespace throng {
namespace {

constexpr std::size_t kWindow = 1 << 14;  // frames that the percentiles cover

std::string milliseconds(double ms) {
    return fmt::format("{:.3f}", ms);
}

}  // namespace

RunSummary::RunSummary() : stages_(kWindow) {}

void RunSummary::write(const FrameResult& result) {
    stages_.add(result.timings);
    ++frames_;
    raw_ += result.raw_count;
    kept_ += result.kept.detections.size();
    lost_ += result.overflow;
}

void RunSummary::add(const PipelineCounters& counters) {
    dropped_ += counters.dropped;
    overflowed_ += counters.overflowed;
}

std::string RunSummary::text(double seconds) const {
    TextTable table({"stage [ms]", "last", "mean", "p50", "p99", "max"});
    for (const auto& [name, ms] : stages_.summaries()) {
        table.add({name, milliseconds(ms.last), milliseconds(ms.mean), milliseconds(ms.p50), milliseconds(ms.p99),
                   milliseconds(ms.max)});
    }
    std::string text = table.empty() ? std::string() : table.text();
    text += fmt::format("{} frames, {} faces of {} raw detections, {} dropped", frames_, kept_, raw_, dropped_);
    if (overflowed_ > 0) text += fmt::format(", {} overflowed ({} raw detections lost)", overflowed_, lost_);
    if (seconds > 0)
        text += fmt::format(", {:.1f} s, {:.1f} frames/s", seconds, static_cast<double>(frames_) / seconds);
    return text + "\n";
}

}  // namespace throng
