// Suppression over clock rates: figures 7 and 9 of the NMS paper. Where the clock cannot be changed, the number of
// multiprocessors is varied instead.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/nms_baselines.h"
#include "app/lab/measure/nms_clusters.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

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
                logger().warn("cannot restore the clocks: {}", error.what());
            }
        }
    } const restore{bench.clocks()};
    for (const ResolvedProfile& entry : bench.clock_steps()) {
        bench.step("clock profile " + entry.profile.id);
        const ApplyResult applied = bench.clocks().apply(entry.profile.id);
        if (!applied.ok()) {
            result.missing.push_back(entry.profile.id + ": " + applied.where + ": " + applied.reason.text());
            continue;
        }
        std::this_thread::sleep_for(kClockSettleTime);
        visit(static_cast<double>(*entry.gpu_max) / 1e6);
        if (bench.clocks().measure().changed_by_another)
            result.findings.push_back(entry.profile.id + ": another program changed the clock during the measurement.");
    }
}

// Measures the paper's kernels and greedy over the clock or, where it cannot be changed, over the number of
// multiprocessors, and notes which in the result.
void sweep(ExperimentBench& bench, ExperimentResult& result, const std::vector<std::size_t>& sizes, Plot& plot,
           ResultTable& table) {
    if (bench.has_cuda() && !bench.clock_steps().empty()) {
        plot.x_label = "GPU clock, MHz";
        at_each_clock(bench, result, [&](double mhz) {
            for (const std::size_t n : sizes) {
                const auto add = [&](const std::string& engine, const NmsParams& params, std::int32_t dmax) {
                    const double ms = bench.time_nms(bench.backend(), clusters(n), params, dmax).total().median();
                    plot.add(fmt::format("{}, {}", engine, n), mhz, ms);
                    ResultRow& row = table.rows.row().cell("detections", static_cast<std::int64_t>(n));
                    row.cell("engine", engine).cell("GPU clock, MHz", mhz, 1).cell("milliseconds", ms);
                };
                add("paper's kernels", paper_kernels(32), 4096);
                add("greedy", nms_rule(NmsRule::greedy), 0);
            }
        });
        return;
    }
    const std::string why =
        bench.has_cuda() ? bench.why_no_clocks() : "the GPU's clock does not affect the CPU's engines";
    result.missing.push_back("The clock was not varied: " + why + ".");
    plot.title += ", by multiprocessors";
    plot.x_label = "multiprocessors in use";
    if (!bench.has_cuda()) {
        result.missing.emplace_back("The number of multiprocessors cannot be varied without a GPU: " + bench.why() +
                                    ".");
        return;
    }
    try {
        add_shares(time_shares(bench, sizes), plot, table);
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
    Plot plot{"gpu-cpu", fmt::format("{} detections: GPU and CPU", kDetections), "", "milliseconds", false, true};
    ResultTable table{"gpu-cpu", "Milliseconds, medians", {}};
    const NmsParams greedy = nms_rule(NmsRule::greedy);

    bench.step("the CPU's engines");
    std::vector<std::pair<std::string, double>> cpu;
    cpu.emplace_back("CPU, our greedy", bench.time_nms(bench.cpu(), boxes, greedy).total().median());
    for (const BaselineTime& baseline : time_baselines(boxes, greedy))
        cpu.emplace_back(baseline.name == "opencv" ? "CPU, OpenCV NMSBoxes" : "CPU, greedy in two plain loops",
                         baseline.times.median());
    sweep(bench, result, {kDetections}, plot, table);
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
        plot.series.clear();
        for (const auto& [name, ms] : cpu) plot.add_bar("milliseconds", name, ms);
    }
    for (const auto& [name, ms] : cpu) table.rows.row().cell("engine", name).cell("milliseconds", ms);
    result.published = published_nms();
    result.add(std::move(table), std::move(plot));
}

void run_clock_sweep(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", "200, 1027 and 2895 boxes in clusters of 20, seed 1"},
                       {"suppression", "IoU, threshold 0.5; the paper's kernels with k = 32 and D_max 4096"}};
    Plot plot{"clock", "Suppression", "", "milliseconds", false, true};
    ResultTable table{"clock", "Milliseconds, medians", {}};
    sweep(bench, result, {200, 1027, 2895}, plot, table);
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
