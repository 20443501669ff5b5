#include "app/options/run_summary.h"

#include <fmt/format.h>

namespace throng {
namespace {

constexpr std::size_t kWindow = 1 << 14;  // number of frames that the percentiles cover

}  // namespace

TextTable stage_table(const std::vector<StageSummary>& stages) {
    TextTable table({"stage [ms]", "last", "mean", "p50", "p99", "max"});
    for (const auto& [name, summary] : stages) {
        std::vector<std::string> row{name};
        for (const double ms : {summary.last, summary.mean, summary.p50, summary.p99, summary.max}) {
            row.push_back(fmt::format("{:.3f}", ms));
        }
        table.add(std::move(row));
    }
    return table;
}

nlohmann::ordered_json stage_json(const std::vector<StageSummary>& stages) {
    auto json = nlohmann::ordered_json::object();
    for (const auto& [name, ms] : stages) {
        json[name] = {{"last", ms.last}, {"mean", ms.mean}, {"p50", ms.p50},
                      {"p99", ms.p99},   {"max", ms.max},   {"count", ms.count}};
    }
    return json;
}

RunSummary::RunSummary() : statistics_(kWindow) {}

void RunSummary::write(const FrameResult& result) {
    statistics_.add(result.timings);
    ++frames_;
    const RawCounts raw = raw_counts(result);
    raw_ += raw.found;
    kept_ += result.kept.detections.size();
    lost_ += raw.dropped;
}

void RunSummary::add(const PipelineCounters& counters) {
    dropped_ += counters.dropped;
    overflowed_ += counters.overflowed;
}

nlohmann::ordered_json RunSummary::json(double seconds) const {
    nlohmann::ordered_json json{
        {"frames", frames()}, {"seconds", seconds},  {"fps", rate(seconds)},      {"raw", raw_},
        {"kept", kept_},      {"dropped", dropped_}, {"overflowed", overflowed_}, {"lost", lost_}};
    json["stages"] = stage_json(statistics_.summaries());
    return json;
}

double RunSummary::rate(double seconds) const {
    return seconds > 0 ? static_cast<double>(frames_) / seconds : 0;
}

std::string RunSummary::text(double seconds, std::string_view finds) const {
    const TextTable table = stage_table(statistics_.summaries());
    std::string text = table.empty() ? std::string() : table.text();
    text += fmt::format("{} {}, {} {} of {} raw detections, {} dropped", frames(), frames() == 1 ? "frame" : "frames",
                        kept_, finds, raw_, dropped_);
    if (overflowed_ > 0) text += fmt::format(", {} overflowed ({} raw detections lost)", overflowed_, lost_);
    if (seconds > 0) text += fmt::format(", {:.1f} s, {:.1f} frames/s", seconds, rate(seconds));
    return text + "\n";
}

}  // namespace throng
