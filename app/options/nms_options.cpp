#include "app/options/nms_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/kind_defaults.h"
#include "app/options/values.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/nms_names.h"

namespace throng {
namespace {

// 1.6 GB of boxes and scores. No frame needs more; a larger value is most likely a typing error.
constexpr std::int32_t kMaxDmax = 1 << 26;

template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& option, Number& value, const std::string& type,
                        const CLI::Validator& range, const std::string& description) {
    return command.add_option(option, value, description)->check(range)->type_name(type)->capture_default_str();
}

// Adds an option whose values are the words of a table of nms_names.h. `value` is the default, and gets the choice, as
// `chosen` does.
template <class Choice, std::size_t kSize>
CLI::Option* add_choice(CLI::App& command, const std::string& option, Choice& value,
                        const std::pair<std::string_view, Choice> (&names)[kSize], const std::string& description,
                        std::optional<Choice>* chosen = nullptr) {
    std::vector<std::string> words;
    for (const auto& [name, choice] : names) words.emplace_back(name);
    return command
        .add_option_function<std::string>(
            option,
            [&value, &names, chosen](const std::string& word) {
                value = *choice_of(names, word);
                if (chosen != nullptr) *chosen = value;
            },
            description)
        ->check(CLI::IsMember(words))
        ->type_name("")
        ->default_str(std::string(name_of(names, value)));
}

std::int32_t min_hits_of(const DetectorKind& kind, BoxesFor boxes_for) {
    return boxes_for == BoxesFor::screen ? kind.screen_min_hits : kind.nms.min_hits;
}

// Shows the default of each detector in the help text.
void show_defaults_by_kind(const NmsOptions& options, CLI::Option* rule, CLI::Option* overlap, CLI::Option* theta,
                           CLI::Option* min_hits) {
    rule->default_str(
        default_by_kind([](const DetectorKind& kind) { return std::string(name_of(kNmsRuleNames, kind.nms.rule)); }));
    overlap->default_str(default_by_kind(
        [](const DetectorKind& kind) { return std::string(name_of(kOverlapNames, kind.nms.overlap)); }));
    theta->default_str(default_by_kind([](const DetectorKind& kind) { return fmt::format("{:g}", kind.nms.theta); }));
    min_hits->default_str(default_by_kind(
        [&](const DetectorKind& kind) { return std::to_string(min_hits_of(kind, options.boxes_for)); }));
}

}  // namespace

NmsOptions nms_options_after_detector(BoxesFor boxes_for) {
    NmsOptions options;
    options.boxes_for = boxes_for;
    options.after_detector = true;
    options.params = detector_kinds().front().nms;
    options.params.min_hits = min_hits_of(detector_kinds().front(), boxes_for);
    return options;
}

void add_nms_options(CLI::App& command, NmsOptions& options) {
    NmsParams& params = options.params;
    const std::string group = "NMS";  // section [nms] of a configuration file
    const auto in_group = [&](CLI::Option* option) { return option->group(group); };

    CLI::Option* rule =
        in_group(add_choice(command, "--rule", params.rule, kNmsRuleNames, "Suppression rule", &options.rule));
    CLI::Option* overlap = in_group(add_choice(command, "--overlap", params.overlap, kOverlapNames,
                                               "Intersection over union, over the suppressor's area, or over the "
                                               "smaller area; soft, adaptive and feature rules: always iou",
                                               &options.overlap));
    CLI::Option* theta = in_group(command
                                      .add_option_function<double>(
                                          "--theta", [&options](double value) { options.theta = value; },
                                          "Minimum overlap in [0, 1] of a pair that suppresses; 0.3 for rules that "
                                          "always use the IoU")
                                      ->check(finite_range(0, 1))
                                      ->type_name("T")
                                      ->default_str(fmt::format("{:g}", params.theta)));
    CLI::Option* min_hits = in_group(command
                                         .add_option_function<std::int32_t>(
                                             "--min-hits", [&options](std::int32_t hits) { options.min_hits = hits; },
                                             "Drop kept detections that represent fewer than N raw detections")
                                         ->check(whole_range(1))
                                         ->type_name("N")
                                         ->default_str(std::to_string(params.min_hits)));
    if (options.after_detector) show_defaults_by_kind(options, rule, overlap, theta, min_hits);
    in_group(add_choice(command, "--merge", params.merge, kMergeNames,
                        "Replace a kept box by the mean of the boxes it represents, weighted by score or not"));
    in_group(add_choice(command, "--pair", params.pair, kPairRuleNames,
                        "Threshold of a pair: fixed, increasing with density, or assisted by embeddings"));
    in_group(add_choice(command, "--pixels", params.pixels, kPixelNames,
                        "Box edges: continuous, or inclusive (widths and heights count one more)"));
    in_group(add_choice(command, "--ties", params.ties, kTiesNames,
                        "total: equal scores are ordered by area and index; strict: they never suppress each other; "
                        "index: they are ordered by index (CPU only)",
                        &options.ties));
    in_group(add_choice(command, "--compare", params.compare, kCompareNames,
                        "A pair suppresses from the threshold on, or above it only", &options.compare));
    in_group(
        add_number(command, "--sigma", params.sigma, "S", finite_range(1e-6, 1e6), "Sigma of the soft-gaussian decay"));
    in_group(add_number(command, "--score-min", params.score_min, "S", finite_range(-1e9, 1e9),
                        "Soft rules drop detections below this score"));
    in_group(add_number(command, "--feature-low", params.feature_low, "N1", finite_range(0, 1),
                        "--pair feature: no pair suppresses up to this IoU"));
    in_group(add_number(command, "--feature-high", params.feature_high, "N2", finite_range(0, 1),
                        "--pair feature: every pair suppresses from this IoU on"));
    in_group(add_number(command, "--feature-distance", params.feature_distance, "D", finite_range(0, 1e9),
                        "--pair feature: in between, maximum distance of embeddings that suppresses"));
    in_group(add_choice(command, "--kernels", params.kernels, kKernelNames,
                        "CUDA: Throng's own kernels, or the map and reduce kernels of the paper"));
    in_group(add_number(command, "--k", params.paper_k, "K", whole_range(1, 64),
                        "--kernels paper: steps of the reduction, 1 to 64"));
    in_group(
        add_number(command, "--dmax", options.dmax, "N", whole_range(0, kMaxDmax),
                   "Maximum number of raw detections per frame; excess ones are counted and reported (0: automatic)"));
}

void check_nms(const NmsParams& params, std::int32_t dmax) {
    check_params(params);
    if (params.kernels == NmsKernels::paper && dmax % params.paper_k != 0) {
        throw Error(ErrorKind::usage, {"must be a multiple of %1 for the paper's kernels", Setting{"paper_k"}},
                    Setting{"capacity"});
    }
}

void finalize_nms_options(NmsOptions& options, const std::string& detector) {
    NmsParams& params = options.params;
    if (options.after_detector && !detector.empty()) {
        const DetectorKind& kind = detector_kind(detector);
        params.rule = kind.nms.rule;
        params.overlap = kind.nms.overlap;
        params.theta = kind.nms.theta;
        params.min_hits = min_hits_of(kind, options.boxes_for);
    }
    if (options.rule) params.rule = *options.rule;
    const bool soft = is_soft(params.rule);
    if (soft || params.pair != PairRule::overlap) {
        params.overlap = Overlap::iou;
        params.theta = NmsParams{}.theta;
    }
    if (soft) params.min_hits = 1;
    if (options.overlap) params.overlap = *options.overlap;
    if (options.theta) params.theta = static_cast<float>(*options.theta);
    if (options.min_hits) params.min_hits = *options.min_hits;
    check_nms(params, options.dmax);
}

}  // namespace throng
