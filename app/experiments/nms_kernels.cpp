// The paper's kernels alone: k partitions of the reduction (figure 11), and map and reduce timed separately on a mosaic
// of four crowds (figure 13 and table 6).
#include <fmt/format.h>

#include <algorithm>

#include "app/experiments/all.h"
#include "app/experiments/bench.h"
#include "app/measure/nms_clusters.h"
#include "core/base/error.h"
#include "core/detect/stage.h"
#include "core/video/source.h"

namespace throng {
namespace {

constexpr const char* kMosaic = "mosaic:crowd:faces=12,size=1280x720,seed=1";

Frame first_frame(const std::string& spec) {
    const auto source = open_source(spec);
    Frame frame;
    for (ReadStatus status = ReadStatus::timeout; status == ReadStatus::timeout;) {
        status = source->read(frame, {});
        if (status == ReadStatus::end) throw Error(ErrorKind::input, "contains no image", spec);
    }
    return frame;
}

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
    ResultTable table{"k", "Milliseconds, medians", {"detections", "k", "map", "reduce", "whole suppression"}, {}};
    Plot plot{"k", "ReduceKernel over its number of partitions k", "k", "milliseconds of ReduceKernel", true, false, {},
              {}};
    std::string best;
    for (const std::int32_t n : {1027, 2895, 4096}) {
        const DetectionSet boxes = make_clusters({n, 20, 1, false});
        Series line{fmt::format("{} detections", n), {}, false};
        for (const std::int32_t k : {4, 8, 16, 32, 64}) {
            bench.step(fmt::format("{} detections, k = {}", n, k));
            const NmsTimes times = bench.time_nms(bench.backend(), boxes, paper_kernels(k), 4096);
            if (const auto reduce = stage_ms(times, stage::kNmsReduce)) line.points.emplace_back(k, *reduce);
            table.rows.push_back({fmt::format("{}", n), fmt::format("{}", k), ms_cell(times.stages, stage::kNmsMap),
                                  ms_cell(times.stages, stage::kNmsReduce), ms_cell(times.median_ms)});
        }
        if (!line.points.empty()) {
            const auto least = *std::min_element(line.points.begin(), line.points.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            best += fmt::format("{}k = {:.0f} for {} detections ({:.4f} ms)", best.empty() ? "" : ", ", least.first, n,
                                least.second);
        }
        plot.series.push_back(std::move(line));
    }
    result.findings.push_back("The reduction is fastest with " + best + ".");
    result.plots.push_back(std::move(plot));
    result.tables.push_back(std::move(table));
}

void run_mosaic(ExperimentBench& bench, ExperimentResult& result) {
    bench.step("detection in the mosaic");
    const Frame frame = first_frame(kMosaic);
    const auto detector = bench.backend().make_detector(bench.detector_params());
    const DetectionSet raw = bench.detect(bench.backend(), *detector, frame);
    const std::int32_t dmax = dmax_for(std::max<std::size_t>(raw.detections.size(), 4096));
    result.settings = {{"input", fmt::format("{} ({}x{}), {} raw detections", kMosaic, frame.width(), frame.height(),
                                             raw.detections.size())},
                       {"detector", "Haar alt2, factor 1.1, from 24 pixels"},
                       {"suppression", fmt::format("IoU, threshold 0.5, D_max {}", dmax)}};
    ResultTable table{"map-reduce", "Milliseconds, medians", {"engine", "k", "order", "map", "reduce", "whole"}, {}};
    Plot plot{"map-reduce", "Map and reduce, timed separately", "", "milliseconds", false, false, {}, {}};
    Series map{"map", {}, false};
    Series reduce{"reduce", {}, false};
    const auto add = [&](const std::string& engine, const std::string& k, const NmsTimes& times) {
        const auto at = static_cast<double>(plot.categories.size());
        plot.categories.push_back(k == "-" ? engine : "k = " + k);
        if (const auto ms = stage_ms(times, stage::kNmsMap)) map.points.emplace_back(at, *ms);
        if (const auto ms = stage_ms(times, stage::kNmsReduce)) reduce.points.emplace_back(at, *ms);
        table.rows.push_back({engine, k, ms_cell(times.stages, stage::kNmsOrder), ms_cell(times.stages, stage::kNmsMap),
                              ms_cell(times.stages, stage::kNmsReduce), ms_cell(times.median_ms)});
    };
    if (bench.has_cuda()) {
        for (const std::int32_t k : {4, 8, 16, 32}) {
            if (dmax / k > 1024) {
                result.missing.push_back(
                    fmt::format("k = {} would require blocks of {} threads; a block has at most 1024.", k, dmax / k));
                continue;
            }
            bench.step(fmt::format("mosaic, k = {}", k));
            add("GPU, paper's kernels", fmt::format("{}", k),
                bench.time_nms(bench.backend(), raw, paper_kernels(k), dmax));
        }
    } else {
        result.missing.emplace_back(
            "k is a parameter of the paper's kernels, which require a CUDA device: " + bench.why() + ".");
    }
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy}) {
        bench.step("mosaic, our engines");
        add(std::string(bench.has_cuda() ? "GPU" : "CPU") + (rule == NmsRule::greedy ? ", greedy" : ", one-pass"), "-",
            bench.time_nms(bench.backend(), raw, nms_rule(rule)));
    }
    if (!map.points.empty() && !reduce.points.empty()) {
        result.findings.push_back(fmt::format("{}: map {:.4f} ms, reduce {:.4f} ms.", plot.categories.front(),
                                              map.points.front().second, reduce.points.front().second));
    }
    result.findings.emplace_back(
        "The stages are timed separately, with events around each; the whole is timed without events, so the stages "
        "need not add up.");
    plot.series = {std::move(map), std::move(reduce)};
    result.plots.push_back(std::move(plot));
    result.tables.push_back(std::move(table));
}

}  // namespace throng
