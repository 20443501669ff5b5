// Latency over increasing numbers of detections: figure 8 and table 5 of the NMS paper.
#include <fmt/format.h>

#include "app/experiments/all.h"
#include "app/experiments/bench.h"
#include "app/measure/nms_baselines.h"
#include "core/detect/stage.h"

namespace throng {
void run_growth(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", "drawn crowd of 147 people, 4646x1800, the first n faces uncovered, seed 1"},
                       {"detector", "Haar alt2, factor 1.1, from 24 pixels"},
                       {"suppression", "overlap IoU, threshold 0.5; the paper's kernels with k = 32"}};
    ResultTable table{
        "latency", "Milliseconds of one suppression, medians", {"faces", "detections", "kept, greedy"}, {}};
    Plot plot{"latency",    "Non-maximum suppression over the number of detections",
              "detections", "milliseconds",
              false,        true,
              {},           {}};
    std::vector<Series> lines;
    const auto put = [&](const std::string& name, double x, double ms) {
        for (Series& line : lines) {
            if (line.name == name) return line.points.emplace_back(x, ms), void();
        }
        lines.push_back({name, {{x, ms}}, false});
    };
    std::vector<std::vector<std::pair<std::string, double>>> rows;

    for (const CoveredImage& image : bench.covered_series()) {
        const auto n = image.raw.detections.size();
        bench.step(fmt::format("suppression of {} detections", n));
        if (n == 0) continue;
        std::vector<std::pair<std::string, double>> row;
        const NmsTimes greedy = bench.time_nms(bench.backend(), image.raw, nms_rule(NmsRule::greedy));
        const NmsTimes one_pass = bench.time_nms(bench.backend(), image.raw, nms_rule(NmsRule::one_pass));
        const std::string here = bench.has_cuda() ? "GPU" : "CPU";
        if (bench.has_cuda()) {
            const NmsTimes paper =
                bench.time_nms(bench.backend(), image.raw, paper_kernels(32), dmax_for(std::max<std::size_t>(n, 4096)));
            row.emplace_back("GPU, paper's kernels", paper.median_ms);
        }
        row.emplace_back(here + ", one-pass", one_pass.median_ms);
        row.emplace_back(here + ", greedy", greedy.median_ms);
        if (bench.has_cuda()) {
            row.emplace_back("CPU, greedy",
                             bench.time_nms(bench.cpu(), image.raw, nms_rule(NmsRule::greedy)).median_ms);
        }
        for (const BaselineTime& baseline : time_baselines(image.raw, nms_rule(NmsRule::greedy)))
            row.emplace_back(baseline.name == "opencv" ? "OpenCV NMSBoxes" : "CPU, greedy in two plain loops",
                             baseline.median_ms);
        std::vector<std::string> cells = {fmt::format("{}", image.uncovered), fmt::format("{}", n),
                                          fmt::format("{}", greedy.kept)};
        for (const auto& [name, ms] : row) {
            put(name, static_cast<double>(n), ms);
            cells.push_back(ms_cell(ms));
        }
        rows.push_back(row);
        table.rows.push_back(std::move(cells));
    }
    if (!rows.empty()) {
        for (const auto& [name, ms] : rows.back()) table.header.push_back(name);
        const auto& last = rows.back();
        const auto& first = rows.front();
        std::string text = fmt::format("From {} to {} detections:", table.rows.front()[1], table.rows.back()[1]);
        for (std::size_t i = 0; i < last.size(); ++i)
            text += fmt::format("{} {} from {:.4f} to {:.4f} ms", i == 0 ? "" : ",", last[i].first, first[i].second,
                                last[i].second);
        result.findings.push_back(text + ".");
    }
    plot.series = std::move(lines);
    if (bench.has_cuda()) {
        plot.series.push_back({"paper, Tesla T4", {{1027, 0.088}, {2895, 0.430}}, true});
    }
    plot.series.push_back({"paper, Tegra X1 and X2", {{1024, 1.0}}, true});
    plot.series.push_back({"paper, Tegra K1", {{1024, 2.0}}, true});
    result.published = published_nms();
    result.plots.push_back(std::move(plot));
    result.tables.push_back(std::move(table));
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
