#include "app/lab/commands/eval_leaks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/lab/experiments/plot.h"
#include "app/lab/measure/result_list.h"
#include "app/options/standard_output.h"
#include "core/base/output_file.h"
#include "core/detect/detector_kinds.h"
#include "core/eval/leaks.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> rate_of(const LeakBin& bin) {
    if (bin.face_frames == 0) return std::nullopt;
    return 10000 * static_cast<double>(bin.leaks) / static_cast<double>(bin.face_frames);
}

Json sizes_json(const LeakResult& result) {
    Json sizes = Json::array();
    for (const LeakBin& bin : result.bins) {
        const std::optional<double> of_size = rate_of(bin);
        sizes.push_back({{"from", bin.from},
                         {"to", bin.to},
                         {"face_frames", bin.face_frames},
                         {"leaks", bin.leaks},
                         {"leaks_per_10000", of_size ? Json(*of_size) : Json(nullptr)}});
    }
    return sizes;
}

// A way to hide faces, and what it hides.
struct Way {
    const char* name;    // in the table
    const char* key;     // in JSON
    const char* column;  // of the CSV
    LeakResult result;
};

std::string sizes_csv(const std::vector<Way>& ways) {
    std::string csv = "from,to,face_frames";
    for (const Way& way : ways) csv += fmt::format(",{}", way.column);
    csv += "\n";
    for (std::size_t i = 0; i < ways.front().result.bins.size(); ++i) {
        const LeakBin& first = ways.front().result.bins[i];
        csv += fmt::format("{:.1f},{:.1f},{}", first.from, first.to, first.face_frames);
        for (const Way& way : ways) csv += fmt::format(",{}", way.result.bins[i].leaks);
        csv += "\n";
    }
    return csv;
}

// Bars over the sizes that occur.
Plot sizes_plot(const std::vector<Way>& ways) {
    Plot plot;
    plot.title = "Faces that leak, by their size";
    plot.x_label = "size of the face in pixels";
    plot.y_label = "leaks per 10,000 face-frames";
    for (std::size_t i = 0; i < ways.front().result.bins.size(); ++i) {
        for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
            const LeakBin& bin = way->result.bins[i];
            const std::optional<double> rate = rate_of(bin);
            if (rate) plot.add_bar(way->name, fmt::format("{:.0f} to {:.0f}", bin.from, bin.to), *rate);
        }
    }
    return plot;
}

// Reads both files. The second one has the detections, or what `anonymize` hid.
std::vector<Way> evaluate(const std::string& truth, const std::string& found, LineObjects what,
                          const LeakArguments& arguments) {
    const HidingParams hiding = hiding_params(arguments.detector);
    if (has_region_lines(found)) {
        if (what != LineObjects::one) {
            throw Error(ErrorKind::usage, "does not apply to what throng anonymize hid", Setting{"what"});
        }
        LeakOptions options;
        options.margin = hiding.redact.margin;
        return {{"anonymize", "anonymize", "leaks",
                 evaluate_regions(read_truth(truth), read_region_lines(found), options)}};
    }
    LeakComparison comparison;
    comparison.hiding = hiding;
    comparison.hiding.plan.delay = arguments.delay > 0 ? arguments.delay : PlanOptions::kWholeSequence;
    comparison.shown_score = arguments.shown_score;
    comparison.shown_hits = detector_kind(arguments.detector).confident_hits;
    LeakEvaluation both = evaluate_leaks(read_truth(truth), read_detection_lines(found, what), comparison);
    return {{"plan", "planned", "leaks", std::move(both.planned)},
            {"single frames", "single_frame", "leaks_single_frame", std::move(both.single)}};
}

}  // namespace

int run_eval_leaks(const std::string& truth, const std::string& detections, LineObjects what,
                   const LeakArguments& arguments, bool json) {
    const std::vector<Way> ways = evaluate(truth, detections, what, arguments);
    if (!arguments.sizes.empty()) write_file(arguments.sizes, sizes_csv(ways));
    if (!arguments.plot.empty()) draw_plot(sizes_plot(ways), arguments.plot);
    ResultList rows;
    for (const Way& way : ways) {
        const LeakResult& result = way.result;
        ResultRow& row = rows.row().cell("hidden by", way.name).cell("frames", result.frames);
        row.add("face-frames", "face_frames", result.face_frames).add("leaks", "leaks", result.leaks);
        row.add("per 10,000", "leaks_per_10000", value_or_null(result.per_10000()), 2);
        row.cell("extra area", fmt::format("{:.2f} %", 100 * result.mean_extra_area()));
        row.field("extra_area", result.mean_extra_area());
        row.add("hidden entirely", "whole_frames", result.whole_frames);
    }
    if (!json) {
        standard_output::write(rows.table().text());
        return 0;
    }
    const Json results = rows.json();
    Json all;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        all[ways[i].key] = results[i];
        all[ways[i].key]["sizes"] = sizes_json(ways[i].result);
    }
    standard_output::write(all.dump() + "\n");
    return 0;
}

}  // namespace throng
