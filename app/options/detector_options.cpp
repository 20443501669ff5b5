#include "app/options/detector_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "app/options/kind_defaults.h"
#include "app/options/values.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

constexpr int kMaxSide = 1'000'000;  // pixels, beyond any frame

std::string number(double value) {
    return fmt::format("{:g}", value);
}

// Parses "segments=off": the id of a switch and its choice.
void add_switch(DetectorParams& params, const std::string& text) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
        throw CLI::ValidationError("--switch", "must have the form ID=CHOICE, not " + text);
    }
    params.switches[text.substr(0, equals)] = text.substr(equals + 1);
}

}  // namespace

void add_detector_options(CLI::App& command, DetectorOptions& options, const std::vector<std::string>& kinds) {
    const auto group = "Detector";  // section [detector] of a configuration file
    std::vector<std::string> names = kinds;
    std::string help = "Detector:";
    for (const DetectorKind& kind : detector_kinds()) {
        const bool offered = kinds.empty() || std::find(kinds.begin(), kinds.end(), kind.name) != kinds.end();
        if (!offered) continue;
        if (kinds.empty()) names.emplace_back(kind.name);
        help += fmt::format("{} {}: {} ({})", help == "Detector:" ? "" : ";", kind.name, kind.title, kind.finds);
    }
    options.kind = names.front();
    const auto by_kind = [&](auto value) { return default_by_kind(names, value); };

    command
        .add_option_function<std::string>(
            "--detector",
            [&options](const std::string& kind) {
                options.kind = kind;
                options.chosen.kind = true;
            },
            help)
        ->check(CLI::IsMember(names))
        ->type_name("")
        ->default_str(options.kind)
        ->group(group);
    command
        .add_option("--model", options.model,
                    "Model file, or the name of an installed model such as alt2 (see `throng models`); default: the "
                    "recommended model of the detector")
        ->type_name("FILE")
        ->group(group);
    command
        .add_option_function<int>(
            "--min-size", [&options](int size) { options.chosen.min_size = size; },
            "Minimum size of a detected object, in pixels of the frame")
        ->check(whole_range(1, kMaxSide))
        ->type_name("PX")
        ->default_str(by_kind([](const DetectorKind& kind) { return number(kind.params.min_size); }))
        ->group(group);
    command
        .add_option_function<int>(
            "--max-size", [&options](int size) { options.chosen.max_size = size; },
            "Maximum size of a detected object, in pixels; 0 for no limit")
        ->check(whole_range(0, kMaxSide))
        ->type_name("PX")
        ->default_str(by_kind([](const DetectorKind& kind) { return number(kind.params.max_size); }))
        ->group(group);
    command
        .add_option_function<double>(
            "--scale-factor", [&options](double factor) { options.chosen.scale_factor = factor; },
            "Factor between neighboring scales, 1.01 to 10")
        ->check(finite_range(1.01, 10))
        ->type_name("F")
        ->default_str(by_kind([](const DetectorKind& kind) { return number(kind.params.scale_factor); }))
        ->group(group);
    command
        .add_option_function<float>(
            "--score-threshold", [&options](float value) { options.score_threshold = value; },
            "Minimum score of a raw detection: a probability (cnn) or an SVM margin (hog)")
        ->check(finite_range(-1e6, 1e6))
        ->type_name("S")
        ->default_str(by_kind([](const DetectorKind& kind) {
            if (kind.params.score_threshold) return fmt::format("{:g}", *kind.params.score_threshold);
            return std::string(kind.takes_threshold ? "the model's own" : "none");
        }))
        ->group(group);
    command.add_flag("--half", options.half, "Compute in FP16 where the detector and the device support it")
        ->group(group);
    command
        .add_option_function<std::vector<std::string>>(
            "--switch",
            [&options](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) add_switch(options, text);
            },
            "Set an optimization or a mode of the detector, such as input=letterbox (cnn)")
        ->type_name("ID=CHOICE")
        ->group(group);
    command.add_option("--threads", options.threads, "Threads of the CPU backend; 0 for one per core")
        ->check(whole_range(0, 1024))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

void finalize_detector_options(DetectorOptions& options) {
    const DetectorParams& defaults = detector_kind(options.kind).params;
    options.min_size = options.chosen.min_size.value_or(defaults.min_size);
    options.max_size = options.chosen.max_size.value_or(defaults.max_size);
    options.scale_factor = options.chosen.scale_factor.value_or(defaults.scale_factor);
    if (!options.score_threshold) options.score_threshold = defaults.score_threshold;
    check_params(options);
}

}  // namespace throng
