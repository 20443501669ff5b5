// The paper's kernels alone: k partitions of the reduction (figure 11), and map and reduce timed separately on a mosaic
// of four crowds (figure 13 and table 6).
#include <fmt/format.h>

#include <algorithm>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/image_bench.h"
#include "app/lab/measure/nms_clusters.h"
#include "core/detect/stage.h"

namespace throng {
namespace {

constexpr const char* kMosaic = "mosaic:crowd:faces=12,size=1280x720,seed=1";

}  // namespace

void run_partitions(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {
        {"input", "clusters of 20 boxes around each face, seed 1; D_max 4096"},
        {"kernels", "the paper's, threshold 0.5, k = 4 to 64 (4096 / k threads per block, at most 1024)"}};
    result.published = {};
    if (!bench.has_cuda()) {
        result.missing.emplace_back("The paper's kernels require a CUDA device: " + bench.why() + ".");
        return;
    }
    ResultTable table{"k", "Milliseconds, medians", {}};
    Plot plot{"k", "ReduceKernel over its number of partitions k", "k", "milliseconds of ReduceKernel", true};
    std::string best;
    for (const std::int32_t n : {1027, 2895, 4096}) {
        const DetectionSet boxes = make_clusters({n, 20, 1, false});
        std::pair<double, std::int32_t> fastest{1e30, 0};
        for (const std::int32_t k : {4, 8, 16, 32, 64}) {
            bench.step(fmt::format("{} detections, k = {}", n, k));
            const NmsMeasurement times = bench.time_nms(bench.backend(), boxes, paper_kernels(k), 4096);
            if (const auto reduce = times.calls.stage_median(stage::kNmsReduce)) {
                plot.add(fmt::format("{} detections", n), k, *reduce);
                fastest = std::min(fastest, {*reduce, k});
            }
            ResultRow& row = table.rows.row().cell("detections", std::int64_t{n}).cell("k", std::int64_t{k});
            row.cell("map", value_of(times.calls.stage_median(stage::kNmsMap)));
            row.cell("reduce", value_of(times.calls.stage_median(stage::kNmsReduce)));
            row.cell("whole suppression", times.total().median());
        }
        if (fastest.second > 0) {
            best += fmt::format("{}k = {} for {} detections ({:.4f} ms)", best.empty() ? "" : ", ", fastest.second, n,
                                fastest.first);
        }
    }
    result.findings.push_back("The reduction is fastest with " + best + ".");
    result.add(std::move(table), std::move(plot));
}

void run_mosaic(ExperimentBench& bench, ExperimentResult& result) {
    bench.step("detection in the mosaic");
    const Frame frame = first_image(kMosaic).frame;
    const DetectionSet raw = bench.detect(frame);
    const std::int32_t dmax = dmax_for(std::max<std::size_t>(raw.detections.size(), 4096));
    result.settings = {{"input", fmt::format("{} ({}x{}), {} raw detections", kMosaic, frame.width(), frame.height(),
                                             raw.detections.size())},
                       {"detector", "Haar alt2, factor 1.1, from 24 pixels"},
                       {"suppression", fmt::format("IoU, threshold 0.5, D_max {}", dmax)}};
    ResultTable table{"map-reduce", "Milliseconds, medians", {}};
    Plot plot{"map-reduce", "Map and reduce, timed separately", "", "milliseconds"};
    const auto add = [&](const std::string& engine, std::int32_t k, const NmsMeasurement& times) {
        const std::string category = k == 0 ? engine : fmt::format("k = {}", k);
        if (const auto ms = times.calls.stage_median(stage::kNmsMap)) plot.add_bar("map", category, *ms);
        if (const auto ms = times.calls.stage_median(stage::kNmsReduce)) plot.add_bar("reduce", category, *ms);
        ResultRow& row = table.rows.row().cell("engine", engine).cell("k", value_if(k > 0, std::int64_t{k}));
        row.cell("order", value_of(times.calls.stage_median(stage::kNmsOrder)));
        row.cell("map", value_of(times.calls.stage_median(stage::kNmsMap)));
        row.cell("reduce", value_of(times.calls.stage_median(stage::kNmsReduce)));
        row.cell("whole", times.total().median());
    };
    if (bench.has_cuda()) {
        for (const std::int32_t k : {4, 8, 16, 32}) {
            if (dmax / k > 1024) {
                result.missing.push_back(
                    fmt::format("k = {} would require blocks of {} threads; a block has at most 1024.", k, dmax / k));
                continue;
            }
            bench.step(fmt::format("mosaic, k = {}", k));
            add("GPU, paper's kernels", k, bench.time_nms(bench.backend(), raw, paper_kernels(k), dmax));
        }
    } else {
        result.missing.emplace_back(
            "k is a parameter of the paper's kernels, which require a CUDA device: " + bench.why() + ".");
    }
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy}) {
        bench.step("mosaic, our engines");
        add(std::string(bench.has_cuda() ? "GPU" : "CPU") + (rule == NmsRule::greedy ? ", greedy" : ", one-pass"), 0,
            bench.time_nms(bench.backend(), raw, nms_rule(rule)));
    }
    if (plot.series.size() == 2) {
        result.findings.push_back(fmt::format("{}: map {:.4f} ms, reduce {:.4f} ms.", plot.categories.front(),
                                              plot.series.front().points.front().second,
                                              plot.series.back().points.front().second));
    }
    result.findings.emplace_back(
        "The stages are timed separately, with events around each; the whole is timed without events, so the stages "
        "need not add up.");
    result.add(std::move(table), std::move(plot));
}

}  // namespace throng
