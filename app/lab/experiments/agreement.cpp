// Counts how often the paper's one-pass rule and exact greedy suppression differ. They are not the same rule.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"

namespace throng {
namespace {

struct Variant {
    const char* name;
    Overlap overlap;
    float theta;
};
constexpr Variant kSettings[] = {{"IoU, 0.3", Overlap::iou, 0.3F},
                                 {"IoU, 0.5", Overlap::iou, 0.5F},
                                 {"suppressor, 0.5 (the paper's pseudocode)", Overlap::suppressor, 0.5F},
                                 {"smaller box, 0.5 (faces in this program)", Overlap::min, 0.5F}};

std::set<std::int32_t> kept_by(ExperimentBench& bench, const DetectionSet& raw, NmsRule rule, const Variant& setting) {
    NmsParams params = nms_rule(rule, setting.theta);
    params.overlap = setting.overlap;
    std::set<std::int32_t> kept;
    for (const Detection& detection : bench.suppress(bench.cpu(), raw, params).detections)
        kept.insert(detection.source);
    return kept;
}

}  // namespace

void run_agreement(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {{"input", "the crowd of 147 people at 4646x1800, the first n faces uncovered"},
                       {"detector", "Haar alt2, factor 1.1, from 24 pixels"}};
    ResultTable table{"images", "Boxes kept in each image", {}};
    Plot plot{"difference", "Boxes that exact greedy keeps and one-pass does not", "raw detections", "boxes"};
    for (const Variant& setting : kSettings) {
        std::int64_t images = 0, differ = 0, greedy_all = 0, one_pass_all = 0, more = 0;
        for (const CoveredImage& image : bench.covered_series()) {
            bench.step(fmt::format("{}, {} faces", setting.name, image.uncovered));
            if (image.raw.detections.empty()) continue;
            const auto one_pass = kept_by(bench, image.raw, NmsRule::one_pass, setting);
            const auto greedy = kept_by(bench, image.raw, NmsRule::greedy, setting);
            std::vector<std::int32_t> alone;
            std::set_difference(greedy.begin(), greedy.end(), one_pass.begin(), one_pass.end(),
                                std::back_inserter(alone));
            ++images;
            differ += alone.empty() ? 0 : 1;
            one_pass_all += static_cast<std::int64_t>(one_pass.size());
            greedy_all += static_cast<std::int64_t>(greedy.size());
            more += static_cast<std::int64_t>(alone.size());
            const auto raw = static_cast<std::int64_t>(image.raw.detections.size());
            plot.add(setting.name, static_cast<double>(raw), static_cast<double>(alone.size()));
            ResultRow& row = table.rows.row().cell("faces", std::int64_t{image.uncovered}).cell("raw detections", raw);
            row.cell("overlap, threshold", setting.name).cell("one-pass", static_cast<std::int64_t>(one_pass.size()));
            row.cell("greedy", static_cast<std::int64_t>(greedy.size()));
            row.cell("greedy only", static_cast<std::int64_t>(alone.size()));
        }
        result.findings.push_back(
            fmt::format("{}: the rules differ in {} of {} images; greedy keeps {} boxes in total, one-pass {}: {} "
                        "({:.1f} %) are missing.",
                        setting.name, differ, images, greedy_all, one_pass_all, more,
                        greedy_all > 0 ? 100.0 * static_cast<double>(more) / static_cast<double>(greedy_all) : 0.0));
    }
    result.findings.emplace_back(
        "One-pass is not exact greedy: a suppressed box still suppresses others, so the middle of a chain suppresses "
        "its end. Greedy keeps every box that one-pass keeps.");
    result.add(std::move(table), std::move(plot));
}

}  // namespace throng
