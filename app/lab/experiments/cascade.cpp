// The cascade talk: windows alive after each stage, optimizations added one by one, masks.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/ablation.h"
#include "app/lab/measure/image_bench.h"
#include "core/cpu/cascade_detector.h"
#include "core/detect/null_recorder.h"
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

constexpr const char* kCascadeTalk = "P. Micikevicius, Maximizing Face Detection Performance, GTC 2015";
constexpr const char* kInput = "drawn crowd of 60 people, 1920x1080, seed 1";

Frame crowd_frame() {
    return Crowd(CrowdOptions{}).frame(0);
}

// Returns the talk's settings: 1080p, factor 1.25, faces of 50 to 200 pixels.
std::vector<std::pair<const char*, DetectorParams>> talk_settings() {
    DetectorParams params;
    params.scale_factor = 1.25;
    params.min_size = 50;
    params.max_size = 200;
    DetectorParams lbp = params;
    params.model = "haarcascade_frontalface_alt2";
    lbp.kind = DetectorId::lbp;
    lbp.model = "lbpcascade_frontalface";
    return {{"Haar alt2", params}, {"LBP", lbp}};
}

}  // namespace

void run_windows(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", kInput}, {"detector", "factor 1.25, faces of 50 to 200 pixels, as in the talk"}};
    ResultTable table{"windows", "Windows alive after each stage", {}};
    Plot plot{"windows", "Windows alive after each stage", "stages passed", "windows", false, true};
    const Frame frame = crowd_frame();
    for (const auto& [name, params] : talk_settings()) {
        const CascadeModel whole = read_cascade(find_model(params.model, params.kind));
        std::int64_t candidates = 0;
        std::int64_t alive = 0;
        std::int64_t half = -1;
        // A cascade truncated after n stages accepts exactly the windows that are alive after these stages.
        for (std::size_t n = 1; n <= whole.stages.size(); ++n) {
            bench.step(fmt::format("{}, stage {} of {}", name, n, whole.stages.size()));
            CascadeModel truncated = whole;
            truncated.stages.resize(n);
            CascadeDetector detector(std::move(truncated), params);
            NullRecorder recorder;
            DetectionBuffer raw = make_host_buffer(16);
            detector.enqueue(frame, raw, recorder);
            const CascadeCounts& counts = detector.counts();
            if (n == 1) {
                candidates = counts.candidates;
                plot.add(name, 0, static_cast<double>(candidates));
            }
            if (half < 0 && counts.accepted * 100 < candidates) half = static_cast<std::int64_t>(n);
            alive = counts.accepted;
            plot.add(name, static_cast<double>(n), static_cast<double>(alive));
            ResultRow& row = table.rows.row().cell("cascade", name).cell("stage", static_cast<std::int64_t>(n));
            row.cell("weak classifiers", std::int64_t{whole.stages[n - 1].tree_count}).cell("alive", alive);
            row.cell("fraction of all candidates",
                     static_cast<double>(alive) / static_cast<double>(std::max<std::int64_t>(candidates, 1)), 5);
        }
        result.findings.push_back(fmt::format(
            "{}: of {} candidate windows, fewer than 1 % are alive after stage {}, and {} windows at the end.", name,
            candidates, half, alive));
    }
    result.add(std::move(table), std::move(plot));
}

void run_ablation(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", kInput}, {"detector", "factor 1.25, faces of 50 to 200 pixels, as in the talk"}};
    const std::string alt2 = "Haar alt2, 1080p, factor 1.25, 50 to 200 px";
    result.published = {{alt2 + ", Tesla K40", "7.2 ms", kCascadeTalk},
                        {alt2 + ", Tegra K1", "79 ms", kCascadeTalk},
                        {"LBP, same setting, Tesla K40", "4.8 ms", kCascadeTalk},
                        {"LBP with a mask, Tesla K40", "1.7 ms", kCascadeTalk},
                        {"LBP, same setting, Tegra K1", "54 ms", kCascadeTalk},
                        {"LBP with a mask, Tegra K1", "16 ms", kCascadeTalk},
                        {"all optimizations, Tegra K1", "8.4 times", kCascadeTalk},
                        {"all optimizations, Tesla K40", "5.8 times", kCascadeTalk}};
    if (!bench.has_cuda()) {
        result.missing.emplace_back("The ablation measures the CUDA cascade, which requires a device: " + bench.why() +
                                    ".");
        return;
    }
    const Frame frame = crowd_frame();
    ResultTable table{"ablation", "Milliseconds from gray image to raw detections", {}};
    Plot plot{"ablation", "Optimizations added one by one", "", "milliseconds", false, true};
    for (const auto& [name, params] : talk_settings()) {
        const auto rows = measure_ablation(frame, name, params, bench.common().device, 15, bench.stepper());
        add_ablation(table.rows, rows);
        for (const AblationRow& row : rows) plot.add_bar(name, row.name, row.times.median());
        const auto fastest = std::min_element(rows.begin(), rows.end(), [](const AblationRow& a, const AblationRow& b) {
            return a.times.median() < b.times.median();
        });
        if (fastest != rows.end())
            result.findings.push_back(
                fmt::format("{}: {:.1f} times as fast as the base with all steps up to \"{}\" ({:.4f} ms); the talk "
                            "reports 8.4 times on Tegra K1 and 5.8 on Tesla K40.",
                            name, fastest->gain, fastest->name, fastest->times.median()));
    }
    const auto last = static_cast<double>(plot.categories.size()) - 1;
    if (last >= 0) plot.series.push_back({"the talk, Haar alt2, Tesla K40", {{last, 7.2}}, true});
    result.add(std::move(table), std::move(plot));
}

void run_masks(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", kInput}, {"detector", "factor 1.25, faces of 50 to 200 pixels, as in the talk"}};
    result.published = {{"LBP, 1080p, Tesla K40, without and with a mask", "4.8 and 1.7 ms", kCascadeTalk},
                        {"LBP, 1080p, Tegra K1, without and with a mask", "54 and 16 ms", kCascadeTalk}};
    const Frame frame = crowd_frame();
    ResultTable table{"masks", "Milliseconds from frame to raw detections, medians", {}};
    Plot plot{"masks", "Time with and without a mask of candidates", "", "milliseconds"};
    for (const auto& [name, params] : talk_settings()) {
        const auto probe = bench.backend().make_detector(params);
        for (const DetectorSwitch& toggle : probe->switches()) {
            if (toggle.id.find("mask") == std::string::npos) continue;
            std::deque<DetectorRun> runs;
            std::vector<BenchCase> cases;
            for (const std::string& choice : toggle.choices) {
                DetectorParams chosen = params;
                chosen.switches[toggle.id] = choice;
                cases.push_back(runs.emplace_back(bench.shared_backend(), chosen).bench_case(frame));
                cases.back().name = fmt::format("{} {}", toggle.id, choice);
            }
            measure_interleaved(cases, 2, 25, name, bench.stepper());
            for (std::size_t i = 0; i < cases.size(); ++i) {
                const double ms = cases[i].times.total.median();
                plot.add_bar(name, cases[i].name, ms);
                ResultRow& row = table.rows.row().cell("cascade", name).cell("switch", toggle.title);
                row.cell("choice", toggle.choices[i]).cell("median ms", ms);
                row.cell("raw detections", runs[i].raw_count());
            }
        }
    }
    if (table.rows.empty()) {
        result.missing.push_back("The " + bench.backend().name() + " backend has no masks: " + bench.why() + ".");
        return;
    }
    result.findings.emplace_back(
        "These times start with a frame on the host. A mask also requires the frame's colors, whose upload is part of "
        "these times. The ablation shows the mask on a frame in device memory.");
    result.add(std::move(table), std::move(plot));
}

}  // namespace throng
