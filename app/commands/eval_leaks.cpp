#include "app/commands/eval_leaks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/experiments/plot.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
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

Json json_of(const LeakResult& result) {
    const std::optional<double> rate = result.per_10000();
    Json sizes = Json::array();
    for (const LeakBin& bin : result.bins) {
        const std::optional<double> of_size = rate_of(bin);
        sizes.push_back({{"from", bin.from},
                         {"to", bin.to},
                         {"face_frames", bin.face_frames},
                         {"leaks", bin.leaks},
                         {"leaks_per_10000", of_size ? Json(*of_size) : Json(nullptr)}});
    }
    return {{"face_frames", result.face_frames},
            {"leaks", result.leaks},
            {"leaks_per_10000", rate ? Json(*rate) : Json(nullptr)},
            {"extra_area", result.mean_extra_area()},
            {"whole_frames", result.whole_frames},
            {"sizes", std::move(sizes)}};
}

void add_row(TextTable& table, const char* name, const LeakResult& result) {
    const std::optional<double> rate = result.per_10000();
    table.add({name, fmt::format("{}", result.frames), fmt::format("{}", result.face_frames),
               fmt::format("{}", result.leaks), rate ? fmt::format("{:.2f}", *rate) : "-",
               fmt::format("{:.2f} %", 100 * result.mean_extra_area()), fmt::format("{}", result.whole_frames)});
}

std::string sizes_csv(const LeakEvaluation& evaluation) {
    std::string csv = "from,to,face_frames,leaks,leaks_single_frame\n";
    for (std::size_t i = 0; i < evaluation.planned.bins.size(); ++i) {
        const LeakBin& planned = evaluation.planned.bins[i];
        csv += fmt::format("{:.1f},{:.1f},{},{},{}\n", planned.from, planned.to, planned.face_frames, planned.leaks,
                           evaluation.single.bins[i].leaks);
    }
    return csv;
}

// Bars over the sizes that occur, of both ways to hide.
std::string sizes_svg(const LeakEvaluation& evaluation) {
    Plot plot;
    plot.title = "Faces that leak, by their size";
    plot.x_label = "size of the face in pixels";
    plot.y_label = "leaks per 10,000 face-frames";
    for (std::size_t i = 0; i < evaluation.planned.bins.size(); ++i) {
        const LeakBin& planned = evaluation.planned.bins[i];
        const std::optional<double> rate = rate_of(planned);
        if (!rate) continue;
        const std::string size = fmt::format("{:.0f} to {:.0f}", planned.from, planned.to);
        plot.add_bar("single frames", size, *rate_of(evaluation.single.bins[i]));
        plot.add_bar("plan", size, *rate);
    }
    return to_svg(plot);
}

}  // namespace

int run_eval_leaks(const std::string& truth, const std::string& detections, const LeakArguments& arguments, bool json) {
    LeakComparison comparison;
    comparison.hiding = hiding_params(arguments.detector);
    comparison.hiding.plan.delay = arguments.delay > 0 ? arguments.delay : PlanOptions::kWholeSequence;
    comparison.shown_score = arguments.shown_score;
    comparison.shown_hits = detector_kind(arguments.detector).screen_min_hits;
    const LeakEvaluation evaluation = evaluate_leaks(read_truth(truth), read_detection_lines(detections), comparison);
    if (!arguments.sizes.empty()) write_file(arguments.sizes, sizes_csv(evaluation));
    if (!arguments.plot.empty()) write_file(arguments.plot, sizes_svg(evaluation));
    if (json) {
        const Json both = {{"planned", json_of(evaluation.planned)}, {"single_frame", json_of(evaluation.single)}};
        standard_output::write(both.dump() + "\n");
        return 0;
    }
    TextTable table({"hidden by", "frames", "face-frames", "leaks", "per 10,000", "extra area", "hidden whole"});
    add_row(table, "plan", evaluation.planned);
    add_row(table, "single frames", evaluation.single);
    standard_output::write(table.text());
    return 0;
}

}  // namespace throng
