// Latency over increasing numbers of detections: figure 8 and table 5 of the NMS paper.
#include <fmt/format.h>

#include <algorithm>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/nms_baselines.h"

namespace throng {

void run_growth(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", "drawn crowd of 147 people, 4646x1800, the first n faces uncovered, seed 1"},
                       {"detector", "Haar alt2, factor 1.1, from 24 pixels"},
                       {"suppression", "overlap IoU, threshold 0.5; the paper's kernels with k = 32"}};
    ResultTable table{"latency", "Milliseconds of one suppression, medians", {}};
    Plot plot{"latency", "Non-maximum suppression over the number of detections", "detections", "milliseconds", false,
              true};
    std::size_t fewest = 0, most = 0;
    for (const CoveredImage& image : bench.covered_series()) {
        const std::size_t n = image.raw.detections.size();
        bench.step(fmt::format("suppression of {} detections", n));
        if (n == 0) continue;
        fewest = fewest == 0 ? n : fewest;
        most = n;
        const NmsMeasurement greedy = bench.time_nms(bench.backend(), image.raw, nms_rule(NmsRule::greedy));
        ResultRow& row = table.rows.row();
        row.cell("faces", std::int64_t{image.uncovered}).cell("detections", static_cast<std::int64_t>(n));
        row.cell("kept, greedy", std::int64_t{greedy.kept.total});
        const auto add = [&](const std::string& engine, const Samples& times) {
            row.cell(engine, times.median());
            plot.add(engine, static_cast<double>(n), times.median());
        };
        const std::string here = bench.has_cuda() ? "GPU" : "CPU";
        if (bench.has_cuda()) {
            add("GPU, paper's kernels",
                bench.time_nms(bench.backend(), image.raw, paper_kernels(32), dmax_for(std::max<std::size_t>(n, 4096)))
                    .total());
        }
        add(here + ", one-pass", bench.time_nms(bench.backend(), image.raw, nms_rule(NmsRule::one_pass)).total());
        add(here + ", greedy", greedy.total());
        if (bench.has_cuda())
            add("CPU, greedy", bench.time_nms(bench.cpu(), image.raw, nms_rule(NmsRule::greedy)).total());
        for (const BaselineTime& baseline : time_baselines(image.raw, nms_rule(NmsRule::greedy)))
            add(baseline.name == "opencv" ? "OpenCV NMSBoxes" : "CPU, greedy in two plain loops", baseline.times);
    }
    std::string text;
    for (const Series& line : plot.series) {
        text += fmt::format("{} {} from {:.4f} to {:.4f} ms", text.empty() ? "" : ",", line.name,
                            line.points.front().second, line.points.back().second);
    }
    if (!text.empty()) result.findings.push_back(fmt::format("From {} to {} detections:{}.", fewest, most, text));
    if (bench.has_cuda()) {
        plot.series.push_back({"paper, Tesla T4", {{1027, 0.088}, {2895, 0.430}}, true});
    }
    plot.series.push_back({"paper, Tegra X1 and X2", {{1024, 1.0}}, true});
    plot.series.push_back({"paper, Tegra K1", {{1024, 2.0}}, true});
    result.published = published_nms();
    result.add(std::move(table), std::move(plot));
    if (!bench.has_cuda())
        result.missing.emplace_back("The paper's kernels require a CUDA device: " + bench.why() + ".");
}

std::vector<Published> published_nms() {
    const char* paper = "D. Oro et al., Work-efficient parallel non-maximum suppression kernels, The Computer Journal";
    const std::string abstract = std::string(paper) + ", abstract (arXiv 2502.00535)";
    return {{"1024 detections, Tegra X1", "about 1 ms", abstract},
            {"1024 detections, Tegra X2", "about 1 ms", abstract},
            {"1024 detections, Tegra K1", "2 ms", abstract},
            {"1027 detections, Tesla T4", "0.088 ms", paper},
            {"2895 detections, Tesla T4", "0.430 ms", paper}};
}

}  // namespace throng
