// The HOG talk: its four kernels, before and after the optimizations.
#include <fmt/format.h>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/ablation.h"
#include "app/lab/measure/image_bench.h"
#include "core/detect/stage.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

constexpr const char* kHogTalk = "M. Lv, B. Zhao, High Performance Pedestrian Detection on Tegra X1, GTC 2016";
constexpr std::string_view kKernels[] = {stage::kGradient, stage::kHistogram, stage::kNormalize, stage::kSvm};
constexpr int kRuns = 30;
constexpr int kWarmUpRuns = 3;

// Returns one scale of 640x480, with windows of 64x128 only.
DetectorParams talk_setting() {
    DetectorParams params;
    params.kind = DetectorId::hog;
    params.min_size = params.max_size = 128;  // the window's height
    return params;
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

    ResultTable table{"kernels", "Milliseconds, medians", {}};
    Plot plot{"kernels", "The four kernels", "", "milliseconds"};
    const auto add = [&](const std::string& name, std::optional<double> slow, std::optional<double> fast) {
        if (slow) plot.add_bar("before", name, *slow);
        if (fast) plot.add_bar("after", name, *fast);
        ResultRow& row = table.rows.row().cell("kernel", name).cell("before", value_of(slow));
        row.cell("after", value_of(fast));
        row.cell("gain", slow && fast ? ResultValue(*slow / *fast) : ResultValue(), 2);
    };
    if (bench.has_cuda()) {
        const auto rows =
            measure_ablation(frame, "one scale", talk_setting(), bench.common().device, kRuns, bench.stepper());
        const AblationRow& first = rows.front();
        const AblationRow& last = rows.back();
        for (std::size_t k = 0; k < first.kernels_ms.size(); ++k) {
            const auto& [kernel, slow] = first.kernels_ms[k];
            add(kernel, Samples(slow).median(), Samples(last.kernels_ms[k].second).median());
        }
        add("whole", first.times.median(), last.times.median());
        ResultTable steps{"ablation", "Optimizations added one by one", {}};
        add_ablation(steps.rows, rows);
        result.findings.push_back(
            fmt::format("Luma in device memory to raw detections: {:.4f} ms before, {:.4f} ms after, "
                        "{:.1f} times as fast; the talk reports 4.67 ms on Tegra X1.",
                        first.times.median(), last.times.median(), last.gain));
        result.findings.emplace_back(
            "Kernels are timed separately, the total in one measurement without them: they need not add up.");
        result.tables.push_back(std::move(steps));
    } else {
        DetectorRun detector(bench.shared_backend(), talk_setting());
        std::vector<BenchCase> cases{detector.bench_case(frame)};
        measure_interleaved(cases, kWarmUpRuns, kRuns, "one scale", bench.stepper());
        const RunTimes& times = cases.front().times;
        for (const std::string_view kernel : kKernels)
            add(std::string(kernel), std::nullopt, times.stage_median(kernel));
        add("whole", std::nullopt, times.total.median());
        result.findings.push_back(fmt::format(
            "Frame to raw detections: {:.3f} ms; the talk reports 4.67 ms on Tegra X1.", times.total.median()));
        result.missing.push_back("The optimizations belong to the CUDA kernels, which require a device: " +
                                 bench.why() + ". The times shown are those of the CPU's stages.");
    }
    result.add(std::move(table), std::move(plot));
}

}  // namespace throng
