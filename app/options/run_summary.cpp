#include "app/options/run_summary.h"

#include <fmt/format.h>

namespace throng {
namespace {

constexpr std::size_t kWindow = 1 << 14;  // number of frames that the percentiles cover

std::string milliseconds(double ms) {
    return fmt::format("{:.3f}", ms);
}

}  // namespace

RunSummary::RunSummary() : statistics_(kWindow) {}

void RunSummary::write(const FrameResult& result) {
    statistics_.add(result.timings);
    ++frames_;
    raw_ += result.raw_count;
    kept_ += result.kept.detections.size();
    lost_ += result.overflow;
}

void RunSummary::add(const PipelineCounters& counters) {
    dropped_ += counters.dropped;
    overflowed_ += counters.overflowed;
}

TextTable RunSummary::stages() const {
    TextTable table({"stage [ms]", "last", "mean", "p50", "p99", "max"});
    for (const auto& [name, ms] : statistics_.summaries()) {
        table.add({name, milliseconds(ms.last), milliseconds(ms.mean), milliseconds(ms.p50), milliseconds(ms.p99),
                   milliseconds(ms.max)});
    }
    return table;
}

nlohmann::ordered_json RunSummary::json(double seconds) const {
    nlohmann::ordered_json json{
        {"frames", frames()}, {"seconds", seconds},  {"fps", rate(seconds)},      {"raw", raw_},
        {"kept", kept_},      {"dropped", dropped_}, {"overflowed", overflowed_}, {"lost", lost_}};
    auto& stages = json["stages"] = nlohmann::ordered_json::object();
    for (const auto& [name, ms] : statistics_.summaries()) {
        stages[name] = {{"last", ms.last}, {"mean", ms.mean}, {"p50", ms.p50},
                        {"p99", ms.p99},   {"max", ms.max},   {"count", ms.count}};
    }
    return json;
}

double RunSummary::rate(double seconds) const {
    return seconds > 0 ? static_cast<double>(frames_) / seconds : 0;
}

std::string RunSummary::text(double seconds, std::string_view finds) const {
    const TextTable table = stages();
    std::string text = table.empty() ? std::string() : table.text();
    text += fmt::format("{} {}, {} {} of {} raw detections, {} dropped", frames(), frames() == 1 ? "frame" : "frames",
                        kept_, finds, raw_, dropped_);
    if (overflowed_ > 0) text += fmt::format(", {} overflowed ({} raw detections lost)", overflowed_, lost_);
    if (seconds > 0) text += fmt::format(", {:.1f} s, {:.1f} frames/s", seconds, rate(seconds));
    return text + "\n";
}

}  // namespace throng
