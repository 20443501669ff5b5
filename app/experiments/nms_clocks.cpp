// Suppression over clock rates: figures 7 and 9 of the NMS paper. Where the clock cannot be changed, the number of
// multiprocessors is varied instead.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/experiments/all.h"
#include "app/experiments/bench.h"
#include "app/measure/nms_baselines.h"
#include "app/measure/nms_clusters.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

constexpr std::size_t kSizes[] = {200, 1027, 2895};
constexpr std::chrono::milliseconds kClockSettleTime{300};  // after a change of the clock

DetectionSet clusters(std::size_t n) {
    return make_clusters({static_cast<std::int32_t>(n), 20, 1, false});
}

// Calls `visit` at every clock step. Restores the clocks at the end, also when a measurement throws.
template <class Visit>
void at_each_clock(ExperimentBench& bench, ExperimentResult& result, Visit&& visit) {
    struct Restore {
        ClockController& clocks;
        ~Restore() {
            try {
                clocks.restore();
            } catch (const std::exception& error) {
                spdlog::warn("cannot restore the clocks: {}", error.what());
            }
        }
    } const restore{bench.clocks()};
    for (const ResolvedProfile& entry : bench.clock_steps()) {
        bench.step("clock profile " + entry.profile.id);
        const ApplyResult applied = bench.clocks().apply(entry.profile.id);
        if (!applied.ok()) {
            result.missing.push_back(entry.profile.id + ": " + applied.where + ": " + applied.reason);
            continue;
        }
        std::this_thread::sleep_for(kClockSettleTime);
        visit(static_cast<double>(*entry.gpu_max) / 1e6);
        if (bench.clocks().measure().changed_by_another)
            result.findings.push_back(entry.profile.id + ": another program changed the clock during the measurement.");
    }
}

// Measures over the number of multiprocessors instead of the clock, and notes it in the result.
void by_multiprocessors(ExperimentBench& bench, ExperimentResult& result, const std::vector<std::size_t>& sizes,
                        Plot& plot, ResultTable& table) {
    const std::string why =
        bench.has_cuda() ? bench.why_no_clocks() : "the GPU's clock does not affect the CPU's engines";
    result.missing.push_back("The clock was not varied: " + why + ".");
    plot.title += ", by multiprocessors";
    plot.x_label = "multiprocessors in use";
    table.header = {"detections", "multiprocessors", "engine", "milliseconds"};
    if (!bench.has_cuda()) {
        result.missing.emplace_back("The number of multiprocessors cannot be varied without a GPU: " + bench.why() +
                                    ".");
        return;
    }
    try {
        for (const ShareTimes& time : time_shares(bench, sizes)) {
            const std::string name = fmt::format("{}, {}", time.engine, time.detections);
            auto line = std::find_if(plot.series.begin(), plot.series.end(),
                                     [&](const Series& series) { return series.name == name; });
            if (line == plot.series.end()) line = plot.series.insert(plot.series.end(), Series{name, {}, false});
            line->points.emplace_back(time.multiprocessors, time.ms);
            table.rows.push_back({fmt::format("{}", time.detections), fmt::format("{}", time.multiprocessors),
                                  time.engine, ms_cell(time.ms)});
        }
        result.findings.emplace_back("The number of multiprocessors in use was varied instead of the clock.");
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) throw;
        result.missing.emplace_back(error.what());
    }
}

}  // namespace

void run_gpu_against_cpu(ExperimentBench& bench, ExperimentResult& result) {
    constexpr std::size_t kDetections = 1027;
    const DetectionSet boxes = clusters(kDetections);
    result.settings = {{"input", fmt::format("{} boxes in clusters of 20, seed 1", kDetections)},
                       {"suppression", "greedy or one-pass on the IoU, threshold 0.5"}};
    Plot plot{"gpu-cpu",
              fmt::format("{} detections: GPU and CPU", kDetections),
              "GPU clock, MHz",
              "milliseconds",
              false,
              true,
              {},
              {}};
    ResultTable table{"gpu-cpu", "Milliseconds, medians", {"GPU clock, MHz", "engine", "milliseconds"}, {}};

    bench.step("the CPU's engines");
    std::vector<std::pair<std::string, double>> cpu;
    cpu.emplace_back("CPU, our greedy", bench.time_nms(bench.cpu(), boxes, nms_rule(NmsRule::greedy)).median_ms);
    for (const BaselineTime& baseline : time_baselines(boxes, nms_rule(NmsRule::greedy)))
        cpu.emplace_back(baseline.name == "opencv" ? "CPU, OpenCV NMSBoxes" : "CPU, greedy in two plain loops",
                         baseline.median_ms);

    if (bench.has_cuda() && !bench.clock_steps().empty()) {
        Series paper{"GPU, paper's kernels", {}, false}, greedy{"GPU, greedy", {}, false};
        at_each_clock(bench, result, [&](double mhz) {
            const double paper_ms = bench.time_nms(bench.backend(), boxes, paper_kernels(32), 4096).median_ms;
            const double greedy_ms = bench.time_nms(bench.backend(), boxes, nms_rule(NmsRule::greedy)).median_ms;
            paper.points.emplace_back(mhz, paper_ms);
            greedy.points.emplace_back(mhz, greedy_ms);
            table.rows.push_back({fmt::format("{:.1f}", mhz), "paper's kernels", ms_cell(paper_ms)});
            table.rows.push_back({fmt::format("{:.1f}", mhz), "greedy", ms_cell(greedy_ms)});
        });
        plot.series = {std::move(paper), std::move(greedy)};
    } else {
        by_multiprocessors(bench, result, {kDetections}, plot, table);
    }
    // The CPU's times do not depend on the x axis, so they are drawn as horizontal lines.
    double low = 1e30, high = 0;
    for (const Series& series : plot.series) {
        for (const auto& [x, y] : series.points) {
            low = std::min(low, x);
            high = std::max(high, x);
        }
    }
    if (high > low) {
        for (const auto& [name, ms] : cpu) plot.series.push_back({name, {{low, ms}, {high, ms}}, false});
        plot.series.push_back({"paper, Tesla T4", {{high, 0.088}}, true});
    } else {
        plot.x_label = "";
        plot.log_y = false;
        plot.title = fmt::format("{} detections on the CPU", kDetections);
        Series bars{"milliseconds", {}, false};
        for (const auto& [name, ms] : cpu) {
            bars.points.emplace_back(static_cast<double>(plot.categories.size()), ms);
            plot.categories.push_back(name);
        }
        plot.series = {std::move(bars)};
    }
    for (const auto& [name, ms] : cpu) {
        std::vector<std::string> row(table.header.size(), "-");
        row[table.header.size() - 2] = name;
        row.back() = ms_cell(ms);
        table.rows.push_back(std::move(row));
    }
    result.published = published_nms();
    result.plots.push_back(std::move(plot));
    result.tables.push_back(std::move(table));
}

void run_clock_sweep(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", "200, 1027 and 2895 boxes in clusters of 20, seed 1"},
                       {"suppression", "IoU, threshold 0.5; the paper's kernels with k = 32 and D_max 4096"}};
    Plot plot{"clock", "Suppression", "GPU clock, MHz", "milliseconds", false, true, {}, {}};
    ResultTable table{"clock", "Milliseconds, medians", {"detections", "GPU clock, MHz", "engine", "milliseconds"}, {}};
    if (!bench.has_cuda() || bench.clock_steps().empty()) {
        by_multiprocessors(bench, result, {std::begin(kSizes), std::end(kSizes)}, plot, table);
    } else {
        at_each_clock(bench, result, [&](double mhz) {
            for (const std::size_t n : kSizes) {
                const DetectionSet boxes = clusters(n);
                for (const bool paper : {true, false}) {
                    const double ms =
                        bench
                            .time_nms(bench.backend(), boxes, paper ? paper_kernels(32) : nms_rule(NmsRule::greedy),
                                      paper ? 4096 : 0)
                            .median_ms;
                    const std::string name = fmt::format("{}, {}", paper ? "paper's kernels" : "greedy", n);
                    auto line = std::find_if(plot.series.begin(), plot.series.end(),
                                             [&](const Series& series) { return series.name == name; });
                    if (line == plot.series.end())
                        line = plot.series.insert(plot.series.end(), Series{name, {}, false});
                    line->points.emplace_back(mhz, ms);
                    table.rows.push_back({fmt::format("{}", n), fmt::format("{:.1f}", mhz),
                                          paper ? "paper's kernels" : "greedy", ms_cell(ms)});
                }
            }
        });
    }
    for (const Series& line : plot.series) {
        if (line.points.size() < 2) continue;
        result.findings.push_back(
            fmt::format("{} detections: from {:.4f} ms at {:.0f} to {:.4f} ms at {:.0f}, {:.1f} times as fast.",
                        line.name, line.points.front().second, line.points.front().first, line.points.back().second,
                        line.points.back().first, line.points.front().second / line.points.back().second));
    }
    if (!plot.series.empty()) result.plots.push_back(std::move(plot));
    if (!table.rows.empty()) result.tables.push_back(std::move(table));
}

}  // namespace throng
