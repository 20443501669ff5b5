#include "app/commands/eval_leaks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "core/base/output_file.h"
#include "core/detect/detector_kinds.h"
#include "core/eval/leaks.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LeakResult& result) {
    const std::optional<double> rate = result.per_10000();
    return {{"face_frames", result.face_frames},
            {"leaks", result.leaks},
            {"leaks_per_10000", rate ? Json(*rate) : Json(nullptr)},
            {"extra_area", result.mean_extra_area()},
            {"whole_frames", result.whole_frames}};
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

}  // namespace

int run_eval_leaks(const std::string& truth, const std::string& detections, const LeakArguments& arguments, bool json) {
    LeakComparison comparison;
    comparison.hiding = hiding_params(arguments.detector);
    comparison.hiding.plan.delay = arguments.delay > 0 ? arguments.delay : PlanOptions::kWholeSequence;
    comparison.shown_score = arguments.shown_score;
    comparison.shown_hits = detector_kind(arguments.detector).screen_min_hits;
    const LeakEvaluation evaluation = evaluate_leaks(read_truth(truth), read_detection_lines(detections), comparison);
    if (!arguments.sizes.empty()) write_file(arguments.sizes, sizes_csv(evaluation));
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
