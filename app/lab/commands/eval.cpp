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
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
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

std::string ratio_text(std::optional<double> ratio) {
    return ratio ? fmt::format("{:.4f}", *ratio) : "-";
}

void add_row(TextTable& table, const std::string& name, std::int64_t images, const MatchResult& r) {
    table.add({name, fmt::format("{}", images), fmt::format("{}", r.faces), fmt::format("{}", r.correct),
               fmt::format("{}", r.wrong), fmt::format("{}", r.ignored), ratio_text(precision(r)),
               ratio_text(recall(r)), ratio_text(average_precision(r))});
}

std::int64_t images_of(const Evaluation& evaluation) {
    std::int64_t images = 0;
    for (const FileResult& file : evaluation.files) images += file.images;
    return images;
}

std::string table_of(const Evaluation& evaluation, bool per_file) {
    TextTable table({"file", "images", "faces", "correct", "wrong", "ignored", "precision", "recall", "AP"});
    if (per_file) {
        for (const FileResult& file : evaluation.files) {
            add_row(table, file.found ? file.source : file.source + " (not in the detections)", file.images,
                    file.result);
        }
    }
    add_row(table, "all", images_of(evaluation), evaluation.total);
    return table.text();
}

std::string heights_table(const std::vector<HeightResult>& heights) {
    TextTable table({"face height [px]", "faces", "recall at 0.1 wrong per image", "recall at 1", "AP"});
    for (const HeightResult& each : heights) {
        const std::string to = std::isfinite(each.to) ? fmt::format("to {:g}", each.to) : "and more";
        table.add({fmt::format("{:g} {}", each.from, to), fmt::format("{}", each.faces),
                   ratio_text(each.recall_at_tenth), ratio_text(each.recall_at_one), ratio_text(each.ap)});
    }
    if (heights.empty()) return {};
    const std::optional<double> half = height_found_by_half(heights);
    return "\n" + table.text() +
           (half ? fmt::format("finds half of the faces from {:g} px on, with 0.1 wrong per image\n", *half)
                 : std::string());
}

Json ratio_json(std::optional<double> ratio) {
    return ratio ? Json(*ratio) : Json(nullptr);
}

Json heights_json(const std::vector<HeightResult>& heights) {
    Json list = Json::array();
    for (const HeightResult& each : heights) {
        list.push_back({{"from", each.from},
                        {"to", std::isfinite(each.to) ? Json(each.to) : Json(nullptr)},
                        {"faces", each.faces},
                        {"recall_at_0.1", ratio_json(each.recall_at_tenth)},
                        {"recall_at_1", ratio_json(each.recall_at_one)},
                        {"ap", ratio_json(each.ap)}});
    }
    return list;
}

Json result_json(const MatchResult& r) {
    return {{"faces", r.faces},
            {"correct", r.correct},
            {"wrong", r.wrong},
            {"ignored", r.ignored},
            {"precision", ratio_json(precision(r))},
            {"recall", ratio_json(recall(r))},
            {"ap", ratio_json(average_precision(r))}};
}

void add_row(TextTable& table, const std::string& name, std::int64_t images, const TrackMetrics& m) {
    const auto score = [](double value) { return fmt::format("{:.4f}", value); };
    table.add({name, fmt::format("{}", images), fmt::format("{}", m.faces), score(m.hota.hota), score(m.hota.det_a),
               score(m.hota.ass_a), score(m.hota.loc_a), score(m.at_iou.ass_a), score(m.mota), score(m.idf1),
               fmt::format("{}", m.switches), fmt::format("{}", m.fragmentations)});
}

std::int64_t images_of(const TrackEvaluation& evaluation) {
    std::int64_t images = 0;
    for (const TrackFileResult& file : evaluation.files) images += file.images;
    return images;
}

std::string table_of(const TrackEvaluation& evaluation, const EvalArguments& arguments) {
    TextTable table({"file", "images", "faces", "HOTA", "DetA", "AssA", "LocA",
                     fmt::format("AssA({:g})", arguments.match.iou), "MOTA", "IDF1", "switches", "fragments"});
    if (arguments.per_file) {
        for (const TrackFileResult& file : evaluation.files) {
            add_row(table, file.found ? file.source : file.source + " (not in the detections)", file.images,
                    file.metrics);
        }
    }
    add_row(table, "all", images_of(evaluation), evaluation.total);
    return table.text();
}

Json hota_json(const HotaScores& s) {
    return {{"hota", s.hota},     {"det_a", s.det_a},   {"ass_a", s.ass_a},
            {"ass_re", s.ass_re}, {"ass_pr", s.ass_pr}, {"loc_a", s.loc_a}};
}

Json result_json(const TrackMetrics& m) {
    Json json = hota_json(m.hota);
    json["at_iou"] = hota_json(m.at_iou);
    json.update(Json{{"faces", m.faces},
                     {"matches", m.matches},
                     {"misses", m.misses},
                     {"wrong", m.wrong},
                     {"switches", m.switches},
                     {"fragmentations", m.fragmentations},
                     {"mota", m.mota},
                     {"motp", m.motp},
                     {"id_matches", m.id_matches},
                     {"id_misses", m.id_misses},
                     {"id_wrong", m.id_wrong},
                     {"idf1", m.idf1}});
    return json;
}

// Evaluation or TrackEvaluation; `scores` is the member of a file that result_json describes.
template <class Evaluated, class File, class Scores>
std::string json_of(const Evaluated& evaluation, Scores File::*scores, const EvalArguments& arguments,
                    const Json& more = Json::object()) {
    Json json = {
        {"iou", arguments.match.iou}, {"min_size", arguments.match.min_size}, {"images", images_of(evaluation)}};
    json.update(result_json(evaluation.total));
    json["unjudged_images"] = evaluation.unjudged_images;
    json.update(more);
    if (arguments.per_file) {
        json["files"] = Json::array();
        for (const File& file : evaluation.files) {
            Json entry = {{"source", file.source}, {"found", file.found}, {"images", file.images}};
            entry.update(result_json(file.*scores));
            json["files"].push_back(std::move(entry));
        }
    }
    return json_text(json) + "\n";
}

// Reports what could not be compared, and prints the result.
template <typename Result>
void print(const Result& evaluation, const std::string& text) {
    const auto missing =
        std::count_if(evaluation.files.begin(), evaluation.files.end(), [](const auto& file) { return !file.found; });
    if (missing > 0) {
        logger().warn("{} of {} files of the ground truth are missing from the detections; their faces count as missed",
                      missing, evaluation.files.size());
    }
    if (evaluation.unjudged_images > 0) {
        logger().info("{} images of the detections have no ground truth and are ignored", evaluation.unjudged_images);
    }
    standard_output::write(text);
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
    if (arguments.tracks) {
        const TrackEvaluation evaluation = evaluate_tracks(
            read_truth(arguments.truth), read_track_lines(arguments.detections, arguments.what), arguments.match);
        print(evaluation, arguments.json ? json_of(evaluation, &TrackFileResult::metrics, arguments)
                                         : table_of(evaluation, arguments));
        return 0;
    }
    const Evaluation evaluation = evaluate(read_truth(arguments.truth),
                                           read_detection_lines(arguments.detections, arguments.what), arguments.match);
    const std::vector<HeightResult> heights = results_by_height(evaluation.total, images_of(evaluation));
    print(evaluation,
          arguments.json ? json_of(evaluation, &FileResult::result, arguments, Json{{"heights", heights_json(heights)}})
                         : table_of(evaluation, arguments.per_file) + heights_table(heights));
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
