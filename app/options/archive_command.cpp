#include "app/options/archive_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/standard_output.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/resources.h"
#include "core/base/secrets.h"
#include "core/base/sha256.h"
#include "core/detect/detector_kinds.h"
#include "core/model/model_finder.h"
#include "core/video/file_kind.h"
#include "core/video/source_files.h"
#include "core/video/video_division.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Replaces "4G" by a number of bytes. Units are powers of 1024.
ValueCheck byte_size() {
    const auto convert = [](std::string& text) -> std::string {
        constexpr std::string_view kUnits = "KMGT";
        constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50U;
        std::uint64_t bytes = 0;
        const char* const end = text.data() + text.size();
        auto [rest, problem] = std::from_chars(text.data(), end, bytes);
        unsigned shift = 0;
        if (problem == std::errc{} && rest != end) {
            const std::size_t unit = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*rest++))));
            if (unit == std::string_view::npos || rest != end) problem = std::errc::invalid_argument;
            shift = 10 * (static_cast<unsigned>(unit) + 1);
        }
        if (problem != std::errc{} || bytes > (kMaxBytes >> (shift % 64))) {
            return "must be a number of bytes such as 512M or 4G, not \"" + mask_credentials(text).substr(0, 200) +
                   "\"";
        }
        text = std::to_string(bytes << shift);
        return {};
    };
    return {convert};
}

constexpr auto kBetweenReports = std::chrono::seconds(1);

// Reports the progress of a stage: a line on the terminal, or with --progress json one JSON object per second on standard
// error.
class Reporter {
public:
    Reporter(const ArchiveArguments& arguments, const CommonOptions& common, const Shard& shard, Stage stage,
             Clock::time_point start)
        : json_(arguments.json_progress),
          quiet_(common.quiet),
          shard_(fmt::format("{}/{}", shard.index, shard.count)),
          what_(fmt::format("{}s", name_of(stage))),
          start_(start) {
        if (json_) return;
        line_.emplace(common, shard.count > 1 ? fmt::format("shard {}, {}", shard_, what_) : what_, std::nullopt);
    }

    // paused: another stage is shown.
    void report(const ArchiveProgress& progress, bool paused, bool last = false) {
        const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        // Files that --resume skips take no time worth counting.
        const double rate = seconds > 0 ? static_cast<double>(progress.frames) / seconds : 0;
        const double done =
            progress.bytes > 0 ? static_cast<double>(progress.finished_bytes) / static_cast<double>(progress.bytes) : 0;
        std::optional<double> left;
        if (progress.finished > progress.skipped && done > 0) left = seconds * (1 - done) / done;
        if (line_ && paused) line_->finish();
        if (line_ && !paused) {
            line_->update(
                progress.finished,
                fmt::format("of {}, {:.1f} frames/s{}{}", progress.inputs, rate,
                            left ? ", " + duration_text(*left) + " left" : "",
                            progress.failed > 0 ? fmt::format(", {} failed", progress.failed) : std::string()));
        }
        if (!json_ || (!last && (paused || Clock::now() < next_))) return;
        next_ = Clock::now() + kBetweenReports;
        nlohmann::ordered_json json{{"shard", shard_},
                                    {"stage", what_},
                                    {"inputs", progress.inputs},
                                    {"finished", progress.finished},
                                    {"skipped", progress.skipped},
                                    {"incomplete", progress.incomplete},
                                    {"failed", progress.failed},
                                    {"frames", progress.frames},
                                    {"faces", progress.faces},
                                    {"bytes", progress.bytes},
                                    {"finished_bytes", progress.finished_bytes},
                                    {"seconds", seconds},
                                    {"frames_per_second", rate}};
        if (left) json["seconds_left"] = *left;
        std::fputs((json.dump() + "\n").c_str(), stderr);
    }

    void print_totals(const ArchiveProgress& totals) {
        report(totals, true, true);
        if (quiet_) return;
        standard_output::print(
            "shard {}: {} of {} {}, {} skipped, {} incomplete, {} failed; {} frames, {} faces, {:.1f} s{}\n", shard_,
            totals.finished, totals.inputs, what_, totals.skipped, totals.incomplete, totals.failed, totals.frames,
            totals.faces, std::chrono::duration<double>(Clock::now() - start_).count(),
            InterruptGuard::requested() ? Message("; interrupted, continue with %1", Setting{"resume"}).text() : "");
    }

private:
    bool json_;
    bool quiet_;
    std::string shard_;
    std::string what_;  // "files", "parts"
    std::optional<Progress> line_;
    Clock::time_point start_;
    Clock::time_point next_{};
};

}  // namespace

void add_archive_options(CLI::App& command, ArchiveArguments& arguments) {
    const auto group = "Archive";
    arguments.command = &command;
    add_value(command, group, "--files-from", arguments.files_from, "LIST",
              "List of files and folders, by lines or NUL characters; - for standard input");
    add_value(command, group, "--shard", arguments.shard, "I/N",
              "Process shard I of N; all shards together are the whole list");
    add_value(command, group, "--segment", arguments.segment, "SECONDS",
              "Divide videos into segments of this many seconds, which shards and workers share; the result is that "
              "of the whole video. Images, and videos that cannot seek, are not divided",
              finite_range(1, 86400))
        .show_default("");
    add_flag(command, group, "--resume", arguments.resume,
             "Continue a run: skip files whose result of the same content and settings exists");
    add_flag(command, group, "--fail-fast", arguments.fail_fast, "End at the first file that cannot be processed");
    add_value(command, group, "--memory", arguments.memory, "SIZE",
              "Memory for the files in progress, such as 4G; 0: half of the machine's or the cgroup's", byte_size());
    static constexpr std::pair<std::string_view, bool> kProgressNames[] = {{"auto", false}, {"json", true}};
    add_choice(command, group, "--progress", arguments.json_progress, kProgressNames,
               "auto: a line on a terminal; json: a JSON object per second");
}

void reject_archive_options(const ArchiveArguments& arguments, const Message& what_to_do) {
    reject_given({{"files_from", !arguments.files_from.empty()},
                  {"shard", arguments.shard != "1/1"},
                  {"segment", arguments.segment > 0},
                  {"resume", arguments.resume},
                  {"fail_fast", arguments.fail_fast},
                  {"progress", arguments.json_progress}},
                 "applies to archives only", what_to_do);
}

std::string archive_settings(const CLI::App& command, const DetectorParams& detector, const nlohmann::json* contents) {
    // Options that change no result, by group and by name.
    constexpr std::array<std::string_view, 3> kGroups = {"Archive", "Common", "Board"};
    constexpr std::array<std::string_view, 14> kNames = {
        "help", "model", "threads", "streams", "open-timeout", "read-timeout", "reconnects",
        "json", "video", "images",  "summary", "out",          "report",       "regions"};
    const auto has = [](const auto& list, const std::string& text) {
        return std::find(list.begin(), list.end(), text) != list.end();
    };
    nlohmann::json settings;  // sorted by key
    settings["command"] = name_of(command);
    for (const OptionText& option : option_texts(command)) {
        if (!has(kGroups, option.group) && !has(kNames, option.name)) settings[option.name] = option.text;
    }
    const DetectorKind& kind = detector_kind(detector.kind);
    settings["detector"] = kind.name;  // what auto stood for
    if (!kind.model.suffix.empty()) {
        settings["model_sha256"] = sha256_of(find_model(detector.model, detector.kind), InterruptGuard::token());
    }
    if (kind.faces) {
        settings["faces_model_sha256"] = sha256_of(find_model("", *kind.faces), InterruptGuard::token());
    }
    if (contents != nullptr) settings.update(*contents);
    return json_text(settings, 2) + "\n";
}

std::uint64_t memory_limit(const ArchiveArguments& arguments) {
    if (arguments.memory > 0) return arguments.memory;
    constexpr std::uint64_t kUnknown = std::uint64_t{8} << 30U;
    const std::uint64_t memory = memory_bytes();
    return (memory > 0 ? memory : kUnknown) / 2;
}

std::string file_spec(const WorkItem& item) {
    return item.path.starts_with('/') ? item.path : "./" + item.path;
}

int run_archive_command(const std::vector<std::string>& paths, const ArchiveArguments& arguments,
                        const ArchiveWork& work, const CommonOptions& common) {
    ArchiveOptions options = work;
    options.shard = parse_shard(arguments.shard);
    if (paths.empty() && arguments.files_from.empty()) {
        throw Error(ErrorKind::usage, "no inputs given", Setting{"out", arguments.out},
                    {"name files, folders or %1", Setting{"files_from"}});
    }
    std::vector<std::string> all = paths;
    for (const std::string& path : paths) {
        std::error_code failure;
        if (fs::exists(path, failure)) continue;
        throw Error(ErrorKind::input, failure ? failure.message() : std::generic_category().message(ENOENT), path,
                    {"%1 takes files and folders", Setting{"out"}});
    }
    if (!arguments.files_from.empty()) {
        const std::vector<std::string> listed = read_list(arguments.files_from, InterruptGuard::token());
        all.insert(all.end(), listed.begin(), listed.end());
    }
    const std::set<std::string> named(paths.begin(), paths.end());
    const auto name_of = [&](const std::string& entry, const std::string& path) {
        return named.contains(entry) ? work.name_of(entry, path) : name_by_path(entry, path);
    };
    const std::vector<WorkItem> list = make_work_list(all, is_media_file, arguments.out, name_of, &options.left_out);
    if (work.use_list) work.use_list(list);
    options.output = arguments.out;
    options.resume = arguments.resume;
    options.fail_fast = arguments.fail_fast;
    options.version = TH_VERSION;
    options.files_of = [](const WorkItem& item) { return files_of_file(item.path); };
    options.segment = arguments.segment;
    options.divide = [&](const WorkItem& item, const std::stop_token& stop) {
        return divide_video(item.path, arguments.segment, stop);
    };
    // One line at a time: that of the first stage with work.
    PerStage<std::optional<Reporter>> reporters;
    Clock::time_point start = Clock::now();
    const auto report = [&](const ArchiveTotals& totals, bool last) {
        bool is_first = true;
        for (const Stage stage : {Stage::part, Stage::encoded_part, Stage::file}) {
            const ArchiveProgress& progress = totals[stage];
            const bool in_progress = progress.finished < progress.inputs;
            std::optional<Reporter>& reporter = reporters[stage];
            const bool needed = last ? progress.inputs > 0 || stage == Stage::file : in_progress && is_first;
            if (!reporter && needed) reporter.emplace(arguments, common, options.shard, stage, start);
            if (reporter) last ? reporter->print_totals(progress) : reporter->report(progress, !needed);
            is_first = is_first && !in_progress;
        }
        start = Clock::now();
    };
    options.on_progress = [&](const ArchiveTotals& totals) { report(totals, false); };
    const ArchiveTotals totals = run_archive(list, options, InterruptGuard::token());
    report(totals, true);
    if (InterruptGuard::requested()) return exit_status(ErrorKind::interrupted);
    const ArchiveProgress& files = totals[Stage::file];
    const std::size_t failed_parts = options.fail_fast ? totals[Stage::part].failed : 0;
    return files.failed + files.incomplete + failed_parts > 0 ? exit_status(ErrorKind::input) : 0;
}

}  // namespace throng
