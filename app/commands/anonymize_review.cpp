#include "app/commands/anonymize_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_report.h"
#include "app/commands/anonymize_run.h"
#include "app/commands/anonymize_settings.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/standard_output.h"
#include "app/options/window_program.h"
#include "core/base/error.h"
#include "core/base/json_integer.h"
#include "core/base/log.h"
#include "core/base/sha256.h"
#include "core/base/value_text.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Message without_window() {
    const std::string track = "ID@REPORT.json";
    return {"decide on the command line with %1 and %2", Setting{"keep", track}, Setting{"hide", track}};
}

#ifdef TH_WITH_UI

std::string sha256_of_input(const std::string& path) {
    return input_files(path).sha256();
}

// Returns the file of the report that is reviewed: the only one, or that of the input.
const Json& choose_file(const Json& report, const AnonymizeArguments& arguments) {
    const Json& files = report.at("files");
    if (arguments.inputs.empty()) {
        if (files.size() == 1) return files.at(0);
        throw Error(ErrorKind::usage, fmt::format("is a report of {} files", files.size()), arguments.review,
                    "name the file to review: throng anonymize IN --review REPORT.json --out FILE");
    }
    const std::string& input = arguments.inputs.front();
    const std::string sha256 = sha256_of_input(input);
    for (const Json& file : files) {
        if (file.at("input_sha256") == sha256) return file;
    }
    throw Error(ErrorKind::usage, "is not a report of " + input + ", or that file has changed", arguments.review,
                "name the file of the report, or hide its faces again");
}

// Returns the paths at which a file of the report may be: where it was, and next to the report, which may have been
// moved together with it.
std::vector<fs::path> places_of(const Json& file, const std::string& name, const std::string& report) {
    const fs::path folder_of_report = fs::absolute(report).parent_path();
    return {fs::path(file.value("folder", "")) / name, folder_of_report / name,
            folder_of_report / fs::path(name).filename()};
}

struct FoundFile {
    std::string path;  // the first one that is there, or the first place
    bool is_there = false;
    bool is_same = false;  // has the content of the report
};

// Returns the path as a user below the current folder writes it.
std::string short_path(const fs::path& path) {
    const fs::path relative = path.lexically_relative(fs::current_path());
    return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

// Finds a file that the report names. hash: of a file, as the report has it.
template <class Hash>
FoundFile find_file(const Json& file, const std::string& name, const std::string& sha256, const std::string& report,
                    Hash hash) {
    const std::vector<fs::path> places = places_of(file, name, report);
    const auto path_of = [&](const fs::path& place) {
        return fs::path(name).is_absolute() ? place.string() : short_path(fs::absolute(place).lexically_normal());
    };
    FoundFile found{path_of(places.front())};
    for (const fs::path& place : places) {
        std::error_code ignored;
        if (!fs::is_regular_file(place, ignored)) continue;
        if (hash(place.string()) == sha256) return {path_of(place), true, true};
        if (!found.is_there) found = {path_of(place), true, false};
    }
    return found;
}

// Returns the input of the report, which must be there unchanged.
std::string find_input(const Json& file, const AnonymizeArguments& arguments) {
    const FoundFile found =
        find_file(file, file.at("input"), file.at("input_sha256"), arguments.review, sha256_of_input);
    if (found.is_same) return found.path;
    if (found.is_there) {
        throw Error(ErrorKind::input,
                    "has changed since the report was written, or is another file: its SHA-256 differs", found.path,
                    "name the input of the report: throng anonymize IN --review REPORT.json --out FILE; or hide its "
                    "faces again");
    }
    throw Error(ErrorKind::input, "the input of the report is not there", found.path,
                "name it where it is: throng anonymize IN --review REPORT.json --out FILE");
}

// Chooses the output: --out, or the file that the report describes, if it is still that.
void choose_output(const Json& file, AnonymizeArguments& arguments) {
    std::string& out = arguments.archive.out;
    if (!out.empty()) return;
    if (file.value("in_archive", false)) {
        throw Error(ErrorKind::usage, "belongs to an output in a folder, whose manifest describes it", arguments.review,
                    {"name another file for the new output: %1", Setting{"out", "FILE"}});
    }
    const FoundFile found = find_file(file, file.at("output"), file.at("output_sha256"), arguments.review,
                                      [](const std::string& path) { return sha256_of(path); });
    if (found.is_there && !found.is_same) {
        throw Error(ErrorKind::input, "is not the output of the report: its SHA-256 differs", found.path,
                    {"name the file for the new output: %1", Setting{"out", "FILE"}});
    }
    if (!found.is_there)
        logger().warn("{}: the output of the report is not there; it can be written again", found.path);
    out = found.path;
    // The new report replaces the reviewed one, unless it is of another output.
    if (arguments.report.empty() && arguments.review.ends_with(".json")) {
        arguments.report = arguments.review.substr(0, arguments.review.size() - 5);
    }
}

// Returns where a model of the report is; its file name if it is in neither place, which the search for models takes.
std::string find_model_of(const Json& model, const std::string& report_path) {
    const std::string file = model.at("file").get<std::string>();
    for (const fs::path& place : {fs::path(model.value("path", "")), fs::absolute(report_path).parent_path() / file}) {
        std::error_code ignored;
        if (fs::is_regular_file(place, ignored)) return place.string();
    }
    return file;
}

// Uses the models of the report, unless another one was chosen.
void choose_models(const Json& report, AnonymizeArguments& arguments) {
    ChosenSettings& chosen = arguments.detection.chosen;
    if (chosen.value_or("model", "").empty()) {
        chosen.set("model", find_model_of(report.at("model"), arguments.review));
    }
    if (report.contains("faces_model")) {
        arguments.faces_model = find_model_of(report.at("faces_model"), arguments.review);
    }
}

// Returns the choice of this name. Throws Error(input) for a name that the report cannot have.
template <class Choice, std::size_t kSize>
Choice choice_in(const AnonymizeArguments& arguments, ChoiceNames<Choice, kSize> names, const std::string& name) {
    if (const std::optional<Choice> choice = choice_of(names, name)) return *choice;
    throw Error(ErrorKind::input, {"the report is damaged: %1", choice_problem(words_of(names), name)},
                arguments.review);
}

void use_settings(const Json& report, AnonymizeArguments& arguments) {
    const Json& settings = report.at("settings");
    arguments.what = choice_in(arguments, kHiddenNames, settings.value("what", "faces"));
    for (const HidingSetting& setting : hiding_settings()) {
        const Json& value = settings.at(std::string(setting.row.name));
        const std::string text = value.is_number() ? exact_text(value.get<float>()) : value.get<std::string>();
        if (const Message problem = setting.row.problem(text); !problem.empty()) {
            throw Error(ErrorKind::input, {"the report is damaged: %1", problem}, arguments.review);
        }
        arguments.hiding[&setting] = text;
    }
    arguments.only = settings.at("only").get<std::string>();
    choose_models(report, arguments);
    try {
        choose_settings(settings, arguments.detection.chosen);
    } catch (const Error& error) {
        throw Error(ErrorKind::input, {"the report is damaged: %1", error.message()}, arguments.review);
    }

    const auto is_given = [&](const char* setting) {
        return arguments.archive.command != nullptr && setting_given(*arguments.archive.command, setting);
    };
    const Json& output = report.at("output");
    if (!is_given("encoder")) arguments.encoder = output.at("encoder").get<std::string>();
    if (!is_given("quality")) arguments.quality = integer_at<int>(output, "quality");
    if (!is_given("audio")) {
        arguments.copy_audio = choice_in(arguments, kAudioNames, output.at("audio").get<std::string>());
    }
}

// Returns the tracks that a person may decide about: the uncertain ones, and those that somebody decided about.
std::vector<ui::ReviewTrack> tracks_of(const Json& file) {
    std::vector<ui::ReviewTrack> tracks;
    for (const Json& each : file.at("tracks")) {
        ui::ReviewTrack track;
        track.doubts = each.at("doubtful").get<std::string>();
        const bool is_decided = !each.value("decided_by", "").empty();
        if (track.doubts.empty() && !is_decided) continue;
        track.id = integer_at<std::int64_t>(each, "id");
        track.first = each.at("first").get<double>();
        track.last = each.at("last").get<double>();
        track.frames = integer_at<std::int64_t>(each, "detected");
        const bool is_kept = each.at("kept").get<bool>();
        using Decision = ui::ReviewTrack::Decision;
        track.decision = is_kept ? Decision::keep : is_decided ? Decision::hide : Decision::none;
        for (const TrackSample& sample : samples_of(each)) track.samples.push_back({sample.pts, sample.box});
        if (!track.samples.empty()) tracks.push_back(std::move(track));
    }
    return tracks;
}

#endif

}  // namespace

#ifdef TH_WITH_UI

ui::ReviewOptions make_review(AnonymizeArguments arguments, const CommonOptions& common) {
    if (!arguments.keep.empty() || !arguments.hide.empty()) {
        throw Error(ErrorKind::usage, {"cannot be combined with %1 and %2", Setting{"keep"}, Setting{"hide"}},
                    Setting{"review"}, "leave it out to decide without the window");
    }
    if (arguments.inputs.size() > 1) {
        throw Error(ErrorKind::usage, "takes one file at a time", Setting{"review"}, "name one input");
    }
    reject_archive_options(arguments.archive, "leave it out: a review is of one file");
    const Json report = read_report(arguments.review);
    ui::ReviewOptions window;
    double steps = 0;
    try {
        const Json& file = choose_file(report, arguments);
        if (const std::string failure = file.at("error"); !failure.empty()) {
            throw Error(ErrorKind::input, "nothing was written: " + failure, arguments.review);
        }
        if (arguments.inputs.empty()) arguments.inputs = {find_input(file, arguments)};
        use_settings(report, arguments);
        choose_output(file, arguments);
        if (names_a_folder(arguments.archive.out, arguments.inputs)) {
            throw Error(ErrorKind::usage, "names a folder", Setting{"out"},
                        "a review is of one file: name the file for the new output");
        }
        window.tracks = tracks_of(file);
        steps = 2 * std::max(1.0, file.at("frames").get<double>());  // each frame is read twice
    } catch (const Json::exception& problem) {
        throw Error(ErrorKind::input, std::string("the report is damaged: ") + problem.what(), arguments.review);
    }
    if (window.tracks.empty()) return window;
    // Rejects options and files now, not after the decisions.
    arguments.decided_by = kDecidedByReview;
    check_report_settings(report, make_anonymize_setup(arguments).report.settings, arguments.review);
    static_cast<void>(AnonymizeRun(arguments, common));

    window.input = fs::absolute(arguments.inputs.front()).string();  // no name of a camera or stream
    window.output = arguments.archive.out;
    window.without_display = without_window().text();
    window.interrupted = InterruptGuard::requested;
    // The ids are those of the newest report, which the next decisions refer to.
    window.write = [arguments, common, steps](const std::vector<ui::ReviewTrack>& tracks,
                                              const ui::OnReviewProgress& progress,
                                              const std::stop_token& stop) mutable {
        arguments.keep.clear();
        arguments.hide.clear();
        for (const ui::ReviewTrack& track : tracks) {
            if (track.decision == ui::ReviewTrack::Decision::none) continue;
            auto& list = track.decision == ui::ReviewTrack::Decision::keep ? arguments.keep : arguments.hide;
            list.push_back(fmt::format("{}@{}", track.id, arguments.review));
        }
        const auto on_progress = [&](const AnonymizeProgress& now) {
            progress(static_cast<double>(now.found + now.hidden) / steps);
        };
        arguments.review = AnonymizeRun(arguments, common).write_again(on_progress, stop);
        return tracks_of(read_report(arguments.review).at("files").at(0));
    };
    return window;
}

int run_anonymize_review(AnonymizeArguments arguments, const CommonOptions& common) {
    const std::string report = arguments.review;
    ui::ReviewOptions window = make_review(std::move(arguments), common);
    if (window.tracks.empty()) {
        standard_output::print("{}: no uncertain tracks, nothing to review\n", report);
        return 0;
    }
    const InterruptGuard interrupts;
    const int status = ui::run_review(std::move(window));
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : status;
}

#else

[[gnu::weak]]  // throng-window has its own
int run_anonymize_review(AnonymizeArguments, const CommonOptions& common) {
    become_window_program(common, Setting{"review"}, without_window());
}

#endif

}  // namespace throng
