// The HOG talk: its four kernels, before and after the optimizations.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "app/experiments/all.h"
#include "app/experiments/bench.h"
#include "app/measure/hog_ablation.h"
#include "core/base/rolling.h"
#include "core/detect/stage.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

constexpr const char* kHogTalk = "M. Lv, B. Zhao, High Performance Pedestrian Detection on Tegra X1, GTC 2016";
constexpr std::string_view kKernels[] = {stage::kGradient, stage::kHistogram, stage::kNormalize, stage::kSvm};
constexpr int kRuns = 30;
constexpr int kWarmUp = 3;

// Returns one scale of 640x480, with windows of 64x128 only.
DetectorParams talk_setting() {
    DetectorParams params;
    params.kind = "hog";
    params.min_size = params.max_size = 128;  // the window's height
    return params;
}

std::optional<double> kernel_ms(const HogAblationRow& row, const std::string& kernel) {
    for (const auto& [name, ms] : row.kernels) {
        if (name == kernel) return ms;
    }
    return std::nullopt;
}

struct HogTimes {
    std::map<std::string, double> stages;  // medians
    double whole_ms = 0;                   // frame to raw detections on the host
};

std::optional<double> stage_median(const HogTimes& times, std::string_view name) {
    const auto found = times.stages.find(std::string(name));
    return found == times.stages.end() ? std::nullopt : std::optional(found->second);
}

HogTimes measure(ExperimentBench& bench, const DetectorParams& params, const Frame& frame) {
    const auto detector = bench.backend().make_detector(params);
    const auto recorder = bench.backend().make_recorder();
    DetectionBuffer raw = bench.backend().make_buffer(1 << 14);
    DetectionSet found;
    std::map<std::string, std::vector<double>> samples;
    std::vector<double> whole;
    for (int run = -kWarmUp; run < kRuns; ++run) {
        const auto start = std::chrono::steady_clock::now();
        detector->enqueue(frame, raw, *recorder);
        bench.backend().download(raw, found);
        const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
        const StageTimes& times = recorder->end_frame();
        if (run < 0) continue;
        whole.push_back(passed.count());
        for (const auto& [name, ms] : times) samples[std::string(name)].push_back(ms);
    }
    const auto median = [](std::vector<double>& values) {
        std::sort(values.begin(), values.end());
        return percentile(values, 0.5);
    };
    HogTimes times;
    for (auto& [name, values] : samples) times.stages[name] = median(values);
    times.whole_ms = median(whole);
    return times;
}

}  // namespace

void run_hog(ExperimentBench& bench, ExperimentResult& result) {
    CrowdOptions crowd;
    crowd.faces = 12;
    crowd.width = 640;
    crowd.height = 480;
    const Frame frame = Crowd(crowd).frame(0);
    result.settings = {{"input", "drawn crowd of 12 people, 640x480"},
                       {"detector", "HOG people, windows of 64x128, one scale, as in the talk"}};
    result.published = {{"640x480, one scale, all kernels, Tegra X1", "4.67 ms (214 frames per second)", kHogTalk}};

    ResultTable table{"kernels", "Milliseconds, medians", {"kernel", "before", "after", "gain"}, {}};
    Plot plot{"kernels", "The four kernels", "", "milliseconds", false, false, {}, {}};
    Series off{"before", {}, false}, on{"after", {}, false};
    const auto add = [&](const std::string& name, std::optional<double> slow, std::optional<double> fast) {
        const auto at = static_cast<double>(plot.categories.size());
        plot.categories.push_back(name);
        if (slow) off.points.emplace_back(at, *slow);
        if (fast) on.points.emplace_back(at, *fast);
        table.rows.push_back({name, slow ? ms_cell(*slow) : "-", fast ? ms_cell(*fast) : "-",
                              slow && fast ? fmt::format("{:.2f}", *slow / *fast) : "-"});
    };
    if (bench.has_cuda()) {
        bench.step("optimizations, one by one");
        const auto rows = measure_hog_ablation(frame, "one scale", talk_setting(), bench.common().device, kRuns);
        for (const auto& [kernel, ms] : rows.front().kernels) add(kernel, ms, kernel_ms(rows.back(), kernel));
        add("whole", rows.front().median_ms, rows.back().median_ms);
        ResultTable steps{"ablation",
                          "Optimizations added one by one",
                          {"adds", "median ms", "gain of the step", "gain in all", "detections"},
                          {}};
        for (const HogAblationRow& row : rows)
            steps.rows.push_back({row.step, ms_cell(row.median_ms), fmt::format("{:.2f}", row.step_gain),
                                  fmt::format("{:.2f}", row.gain), fmt::format("{}", row.detections)});
        result.findings.push_back(
            fmt::format("Luma in device memory to raw detections: {:.4f} ms before, {:.4f} ms after, "
                        "{:.1f} times as fast; the talk reports 4.67 ms on Tegra X1.",
                        rows.front().median_ms, rows.back().median_ms, rows.back().gain));
        result.findings.emplace_back(
            "Kernels are timed separately, the total in one measurement without them: they need not add up.");
        result.tables.push_back(std::move(steps));
    } else {
        bench.step("the stages on the CPU");
        const HogTimes times = measure(bench, talk_setting(), frame);
        for (const std::string_view kernel : kKernels)
            add(std::string(kernel), std::nullopt, stage_median(times, kernel));
        add("whole", std::nullopt, times.whole_ms);
        result.findings.push_back(
            fmt::format("Frame to raw detections: {:.3f} ms; the talk reports 4.67 ms on Tegra X1.", times.whole_ms));
        result.missing.push_back("The optimizations belong to the CUDA kernels, which require a device: " +
                                 bench.why() + ". The times shown are those of the CPU's stages.");
    }
    if (!off.points.empty()) plot.series.push_back(std::move(off));
    plot.series.push_back(std::move(on));
    result.plots.push_back(std::move(plot));
    result.tables.push_back(std::move(table));
}

}  // namespace throng
