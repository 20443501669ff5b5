// throng eval TRUTH DETECTIONS: computes precision, recall and average precision, or scores of tracks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/lab/commands/eval_leaks.h"
#include "app/lab/measure/result_list.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "core/base/json_text.h"
#include "core/base/log.h"
#include "core/detect/detector_kinds.h"
#include "core/eval/by_height.h"
#include "core/eval/evaluation.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

struct EvalArguments {
    std::string truth;
    std::string detections;
    MatchOptions match;
    bool json = false;
    bool per_file = false;
    bool tracks = false;
    LineObjects what = LineObjects::one;
    LeakArguments leaks;
};

constexpr std::pair<std::string_view, LineObjects> kWhat[] = {
    {"one", LineObjects::one}, {"faces", LineObjects::faces}, {"people", LineObjects::people}};

constexpr std::pair<std::string_view, Rank> kRanks[] = {{"confidence", Rank::confidence},
                                                        {"score", Rank::score},
                                                        {"hits", Rank::hits},
                                                        {"score*hits", Rank::score_times_hits}};

void add_figures(ResultRow& row, const MatchResult& r, const MatchOptions&) {
    row.add("faces", "faces", r.faces).add("correct", "correct", r.correct).add("wrong", "wrong", r.wrong);
    row.add("ignored", "ignored", r.ignored).add("precision", "precision", value_or_null(precision(r)));
    row.add("recall", "recall", value_or_null(recall(r))).add("AP", "ap", value_or_null(average_precision(r)));
}

struct HotaFigure {
    const char* column;  // empty: in JSON only
    const char* key;
    double HotaScores::*score;
};
constexpr HotaFigure kHotaFigures[] = {{"HOTA", "hota", &HotaScores::hota},   {"DetA", "det_a", &HotaScores::det_a},
                                       {"AssA", "ass_a", &HotaScores::ass_a}, {"", "ass_re", &HotaScores::ass_re},
                                       {"", "ass_pr", &HotaScores::ass_pr},   {"LocA", "loc_a", &HotaScores::loc_a}};

void add_figures(ResultRow& row, const TrackMetrics& m, const MatchOptions& options) {
    row.add("faces", "faces", m.faces);
    for (const auto& [column, key, score] : kHotaFigures) {
        row.add(column, key, m.hota.*score).field(std::string("at_iou/") + key, m.at_iou.*score);
    }
    row.cell(fmt::format("AssA({:g})", options.iou), m.at_iou.ass_a);
    row.field("matches", m.matches).field("misses", m.misses).field("wrong", m.wrong).field("motp", m.motp);
    row.field("id_matches", m.id_matches).field("id_misses", m.id_misses).field("id_wrong", m.id_wrong);
    row.add("MOTA", "mota", m.mota).add("IDF1", "idf1", m.idf1).add("switches", "switches", m.switches);
    row.add("fragments", "fragmentations", m.fragmentations);
}

// Returns the rows of the files with --per-file, then that of all.
template <class Result>
ResultList rows_of(const EvaluationOf<Result>& evaluation, const EvalArguments& arguments) {
    ResultList rows;
    std::int64_t images = 0;
    for (const FileEvaluation<Result>& file : evaluation.files) {
        images += file.images;
        if (!arguments.per_file) continue;
        ResultRow& row = rows.row().cell("file", file.source + (file.found ? "" : " (not in the detections)"));
        row.field("source", file.source).field("found", file.found).add("images", "images", file.images);
        add_figures(row, file.result, arguments.match);
    }
    add_figures(rows.row().cell("file", "all").add("images", "images", images), evaluation.total, arguments.match);
    return rows;
}

ResultList rows_of(const std::vector<HeightResult>& heights) {
    ResultList rows;
    for (const HeightResult& each : heights) {
        const bool ends = std::isfinite(each.to);
        ResultRow& row = rows.row().field("from", each.from);
        row.field("to", ends ? ResultValue(each.to) : ResultValue(nullptr));
        row.cell("face height [px]",
                 fmt::format("{:g} {}", each.from, ends ? fmt::format("to {:g}", each.to) : "and more"));
        row.add("faces", "faces", each.faces);
        row.add("recall at 0.1 wrong per image", "recall_at_0.1", value_or_null(each.recall_at_tenth));
        row.add("recall at 1", "recall_at_1", value_or_null(each.recall_at_one))
            .add("AP", "ap", value_or_null(each.ap));
    }
    return rows;
}

std::string heights_text(const std::vector<HeightResult>& heights) {
    if (heights.empty()) return {};
    const std::optional<double> half = height_found_by_half(heights);
    return "\n" + rows_of(heights).table().text() +
           (half ? fmt::format("finds half of the faces from {:g} px on, with 0.1 wrong per image\n", *half)
                 : std::string());
}

// Reports what could not be compared, and prints the result. heights: null for tracks.
template <class Result>
void print(const EvaluationOf<Result>& evaluation, const EvalArguments& arguments,
           const std::vector<HeightResult>* heights = nullptr) {
    const auto missing =
        std::count_if(evaluation.files.begin(), evaluation.files.end(), [](const auto& file) { return !file.found; });
    if (missing > 0) {
        logger().warn("{} of {} files of the ground truth are missing from the detections; their faces count as missed",
                      missing, evaluation.files.size());
    }
    if (evaluation.unjudged_images > 0) {
        logger().info("{} images of the detections have no ground truth and are ignored", evaluation.unjudged_images);
    }
    const ResultList rows = rows_of(evaluation, arguments);
    if (!arguments.json) {
        standard_output::write(rows.table().text() + (heights != nullptr ? heights_text(*heights) : ""));
        return;
    }
    Json files = rows.json();
    Json json = {{"iou", arguments.match.iou}, {"min_size", arguments.match.min_size}};
    json.update(files.back());
    json["unjudged_images"] = evaluation.unjudged_images;
    if (heights != nullptr) json["heights"] = rows_of(*heights).json();
    files.erase(files.size() - 1);
    if (arguments.per_file) json["files"] = std::move(files);
    standard_output::write(json_text(json) + "\n");
}

int run(const EvalArguments& arguments, const CommonOptions& common) {
    check_options(arguments.match);
    RunFiles files(common);
    files.add_input("the ground truth", arguments.truth);
    files.add_input("the detections", arguments.detections);
    files.add_output("sizes", arguments.leaks.sizes);
    files.add_output("plot", arguments.leaks.plot);
    if (arguments.leaks.on) {
        return run_eval_leaks(arguments.truth, arguments.detections, arguments.what, arguments.leaks, arguments.json);
    }
    const std::vector<TruthLabels> truth = read_truth(arguments.truth);
    if (arguments.tracks) {
        print(evaluate_tracks(truth, read_track_lines(arguments.detections, arguments.what), arguments.match),
              arguments);
        return 0;
    }
    const Evaluation evaluation =
        evaluate(truth, read_detection_lines(arguments.detections, arguments.what), arguments.match);
    const auto images = static_cast<std::int64_t>(truth.size());  // one line each
    const std::vector<HeightResult> heights = results_by_height(evaluation.total, images);
    print(evaluation, arguments, &heights);
    return 0;
}

}  // namespace

void add_eval_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(program, "eval", "Compare detections or tracks with the ground truth");
    auto arguments = std::make_shared<EvalArguments>();
    add_value(command, "Options", "TRUTH", arguments->truth, "",
              "Ground truth: JSON lines of throng crowd --truth, or a text file in WIDER FACE format")
        .required();
    add_value(command, "Options", "DETECTIONS", arguments->detections, "",
              "Detections: JSON lines of throng detect --json; with --leaks also those of throng anonymize --regions")
        .required();
    add_value(command, "Options", "--iou", arguments->match.iou, "T",
              "Minimum overlap (IoU) of a detection with its face, above 0, up to 1", finite_range(0, 1));
    add_value(command, "Options", "--min-size", arguments->match.min_size, "PX",
              "Ignore faces whose smaller side is below this size", finite_range(0, 1e6));
    add_choice(command, "Options", "--rank", arguments->match.rank, kRanks, "Ranking of the detections");
    add_flag(command, "Options", "--tracks", arguments->tracks,
             "Score the tracks of throng detect --track: HOTA, MOTA, IDF1, identity switches");
    add_choice(
        command, "Options", "--what", arguments->what, kWhat,
        "Which boxes of --detector face+person are compared: faces or people; one: other detectors, with one kind");
    const AddedOption leaks =
        add_flag(command, "Options", "--leaks", arguments->leaks.on,
                 "Count the faces of videos that hiding misses: visible by half, from 20 pixels, less than 95 % hidden")
            .excludes("--tracks");
    add_choice(command, "Options", "--detector", arguments->leaks.detector, kDetectorNames,
               "--leaks: detector that made the detections")
        .needs(leaks);
    add_value(command, "Options", "--shown-score", arguments->leaks.shown_score, "S",
              "--leaks: single frames hide detections from this score on", finite_range(-1e6, 1e6))
        .needs(leaks);
    add_value(command, "Options", "--delay", arguments->leaks.delay, "N",
              "--leaks: frames known after each frame; 0 for all", whole_range(0, 100000))
        .needs(leaks);
    add_value(command, "Options", "--sizes", arguments->leaks.sizes, "OUT.csv",
              "--leaks: write the leaks by size of the face")
        .needs(leaks);
    add_value(command, "Options", "--plot", arguments->leaks.plot, "OUT.svg",
              "--leaks: plot the rate of leaks by size of the face")
        .needs(leaks);
    add_flag(command, "Options", "--per-file", arguments->per_file, "Also print one row per file");
    add_flag(command, "Options", "--json", arguments->json, "Print one JSON object instead of the table");
    set_footer(command,
               "Example:\n"
               "  throng crowd crowd.mp4 --truth truth.jsonl\n"
               "  throng detect crowd.mp4 --json found.jsonl\n"
               "  throng eval truth.jsonl found.jsonl --per-file\n"
               "  throng detect crowd.mp4 --detector cnn --score-threshold 0.396 --json low.jsonl\n"
               "  throng eval truth.jsonl low.jsonl --leaks --shown-score 0.792 --sizes leaks.csv --plot leaks.svg\n"
               "  throng anonymize crowd.mp4 --out hidden.mp4 --regions hidden.jsonl\n"
               "  throng eval truth.jsonl hidden.jsonl --leaks");
    set_run(command, context, [&context, arguments] { return run(*arguments, context.common); });
}

}  // namespace throng
