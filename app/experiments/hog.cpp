// The HOG talk: its four kernels, before and after its optimisations.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "app/experiments/all.h"
#include "app/experiments/bench.h"
#include "core/base/rolling.h"
#include "core/detect/stage.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

constexpr const char* kTalk = "M. Lv, B. Zhao, High Performance Pedestrian Detection on Tegra X1, GTC 2016";
constexpr std::string_view kKernels[] = {stage::kGradient, stage::kHistogram, stage::kNormalise, stage::kSvm};
constexpr int kRuns = 30;
constexpr int kWarmUp = 8;  // a GPU's recorder tells of frames some later

// One scale of 640x480: windows of 64x128 alone.
DetectorParams talk_setting() {
    DetectorParams params;
    params.kind = "hog";
    params.min_size = 64;
    params.max_size = 128;
    params.scale_factor = 2.5;
    return params;
}

struct HogTimes {
    std::map<std::string, double> stages;  // medians
    double whole_ms = 0;                   // frame to raw detections on the host
    std::uint32_t found = 0;
};

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
    times.found = found.wanted;
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
    result.published = {{"640x480, one scale, all kernels, Tegra X1", "4.67 ms (214 frames a second)", kTalk}};

    DetectorParams before = talk_setting();
    std::string switched;
    for (const DetectorSwitch& toggle : bench.backend().make_detector(before)->switches()) {
        if (toggle.choices.size() < 2) continue;
        before.switches[toggle.id] = toggle.choices.back();
        switched += fmt::format("{}{} ({} instead of {})", switched.empty() ? "" : ", ", toggle.title,
                                toggle.choices.back(), toggle.choices.front());
    }
    bench.step("the kernels with everything switched on");
    const HogTimes after_times = measure(bench, talk_setting(), frame);
    ResultTable table{"kernels", "Milliseconds, medians", {"kernel", "before", "after", "gain"}, {}};
    Plot plot{"kernels", "The four kernels", "", "milliseconds", false, false, {}, {}};
    HogTimes before_times;
    if (switched.empty()) {
        result.missing.push_back("The " + bench.backend().name() +
                                 " backend has no optimisation to switch off: " + bench.why() + ".");
    } else {
        bench.step("the kernels with everything switched off");
        before_times = measure(bench, before, frame);
        result.settings.emplace_back("before", switched);
    }
    Series off{"before", {}, false}, on{"after", {}, false};
    const auto add = [&](const std::string& name, std::optional<double> slow, std::optional<double> fast) {
        const auto at = static_cast<double>(plot.categories.size());
        plot.categories.push_back(name);
        if (slow) off.points.emplace_back(at, *slow);
        if (fast) on.points.emplace_back(at, *fast);
        table.rows.push_back({name, slow ? ms_cell(*slow) : "-", fast ? ms_cell(*fast) : "-",
                              slow && fast ? fmt::format("{:.2f}", *slow / *fast) : "-"});
    };
    const auto of = [](const HogTimes& times, std::string_view name) -> std::optional<double> {
        const auto found = times.stages.find(std::string(name));
        return found == times.stages.end() ? std::nullopt : std::optional(found->second);
    };
    for (const std::string_view kernel : kKernels)
        add(std::string(kernel), of(before_times, kernel), of(after_times, kernel));
    add("whole", switched.empty() ? std::nullopt : std::optional(before_times.whole_ms), after_times.whole_ms);
    result.findings.push_back(
        fmt::format("Frame to raw detections: {:.3f} ms; the talk reports 4.67 ms on Tegra X1.", after_times.whole_ms));
    if (!switched.empty() && before_times.found != after_times.found)
        result.findings.push_back(
            fmt::format("Raw detections: {} before, {} after: the approximations move some windows "
                        "across the threshold.",
                        before_times.found, after_times.found));
    if (!off.points.empty()) plot.series.push_back(std::move(off));
    plot.series.push_back(std::move(on));
    result.plots.push_back(std::move(plot));
    result.tables.push_back(std::move(table));
}

}  // namespace throng
