#include "app/commands/anonymize_run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_parts.h"
#include "app/commands/anonymize_worker.h"
#include "app/commands/archive_workers.h"
#include "app/commands/detect_archive.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/report.h"
#include "app/options/standard_output.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "core/frame/fingerprint.h"
#include "core/video/source_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Throws unless the file can be read twice.
void check_regular(const std::string& path) {
    std::error_code failure;
    if (fs::is_regular_file(path, failure)) return;
    if (failure && failure != std::errc::no_such_file_or_directory) {
        throw Error(ErrorKind::input, failure.message(), path);
    }
    const bool exists = fs::exists(path, failure);
    throw Error(ErrorKind::input, exists ? "is not a regular file" : "there is no such file", path,
                exists ? "videos are read twice, so streams and devices cannot be anonymized" : "");
}

std::string summary_of(const ReportedFile& file) {
    std::string text = fmt::format("{}: {}", file.output, text_of_count(file.detected, "face", "faces"));
    if (!file.still) {
        text += fmt::format(" in {} of {}, {} filled in, audio: {}",
                            text_of_count(static_cast<std::int64_t>(file.tracks.size()), "track", "tracks"),
                            text_of_count(file.frames, "frame", "frames"), file.filled + file.extended, file.audio);
    }
    if (file.whole_frames > 0)
        text += fmt::format(", {} hidden whole", text_of_count(file.whole_frames, "frame", "frames"));
    if (file.open_frames > 0)
        text += fmt::format(", {} outside --only", text_of_count(file.open_frames, "frame", "frames"));
    for (const std::string& note : file.notes) text += "; " + note;
    return text;
}

// Returns a function that hides the faces of one input of an archive, and writes its report.
ProcessInput make_archive_worker(const AnonymizeSetup& setup, EncoderOnDemand& encoder, const CommonOptions& common,
                                 const ArchiveWorkers& workers) {
    auto worker = std::make_shared<AnonymizeWorker>(setup, encoder, common);
    return [worker, &setup, &encoder, budget = workers.budget(), most = workers.bytes_per_worker()](
               const WorkItem& item, const std::vector<std::string>& outputs,
               const std::function<void(std::uint64_t)>& add_frames, const std::stop_token& stop) {
        const std::uint64_t bytes = memory_of(item);
        const MemoryBudget::Share memory = budget->acquire(bytes, stop);
        const bool still = !has_video_extension(item.path) && is_still(item.path);
        std::uint64_t added = 0;
        const auto on_progress = [&](const AnonymizeProgress& progress) {
            add_frames(progress.hidden - std::exchange(added, progress.hidden));
        };
        ReportedFile reported;
        try {
            if (item.split) {
                try {
                    reported = join_parts(item, outputs[0], setup, encoder, stop);
                } catch (const PartsDoNotJoin& error) {
                    spdlog::warn("{}: {}; processing the whole file again", item.path, error.what());
                }
            }
            if (reported.output_sha256.empty()) {
                reported = worker->process(item.path, still, item.sha256, outputs[0], on_progress, stop);
                reported.output_sha256 = sha256_of(outputs[0], stop);
            }
        } catch (const Error& error) {
            worker->free_buffers();
            // The form of this output cannot hold this input: the others continue.
            if (error.kind() != ErrorKind::usage) throw;
            throw Error(ErrorKind::input, error.problem(), item.path);
        }
        // As in a run on another machine.
        reported.input = item.name;
        reported.output = hidden_name(item.name, item.path);
        ReportHeader header = setup.report;
        header.backend = worker->backend().why;
        write_file(outputs[1], report_text(header_json(header), file_json(reported)), stop);
        if (bytes > most) worker->free_buffers();
        InputResult result;
        result.frames = static_cast<std::uint64_t>(reported.frames);
        result.faces = static_cast<std::uint64_t>(reported.detected);
        result.backend = worker->backend().backend->name();
        result.incomplete = reported.incomplete;
        return result;
    };
}

}  // namespace

AnonymizeRun::AnonymizeRun(AnonymizeArguments arguments, const CommonOptions& common)
    : arguments_(std::move(arguments)),
      common_(common),
      folder_(!arguments_.archive.files_from.empty() || names_a_folder(arguments_.archive.out, arguments_.inputs)),
      run_files_(common),
      setup_(make_anonymize_setup(arguments_)),
      encoder_(arguments_.encoder) {
    const std::string& out = arguments_.archive.out;
    std::error_code ignored;
    for (const std::string& input : arguments_.inputs) {
        if (!fs::is_directory(input, ignored)) run_files_.add_input("the input", input);
    }
    run_files_.add_model(arguments_.detector);
    report_base_ = arguments_.report;
    if (folder_) {
        const bool is_part = parse_shard(arguments_.archive.shard).count > 1;
        if (is_part && !report_base_.empty()) {
            throw Error(ErrorKind::usage, "cannot be combined with --shard", "--report",
                        "join the reports of all shards with throng merge --report");
        }
        if (!is_part && report_base_.empty()) report_base_ = (fs::path(out) / "anonymize-report").string();
    } else {
        reject_archive_options(arguments_.archive, "name a folder for --out");
        if (fs::exists(arguments_.inputs.front(), ignored)) check_hidden_name(out, is_still(arguments_.inputs.front()));
        run_files_.add_output("--out", out);
        if (report_base_.empty()) report_base_ = fs::path(out).replace_extension(".report").string();
    }
    if (report_base_.empty()) return;
    for (const char* extension : {".json", ".html"}) {
        // The folder may not exist yet.
        if (folder_ && arguments_.report.empty()) {
            run_files_.check_output("--report", report_base_ + extension);
        } else {
            run_files_.add_output("--report", report_base_ + extension);
        }
    }
}

void AnonymizeRun::check_decided_tracks(const std::vector<std::string>& inputs, const std::stop_token& stop) const {
    std::set<std::string> missing;
    for (const DecidedTrack& decided : setup_.decided) missing.insert(decided.input_sha256);
    for (std::size_t i = 0; i < inputs.size() && !missing.empty(); ++i) {
        std::error_code ignored;
        if (fs::is_regular_file(inputs[i], ignored)) missing.erase(sha256_of(inputs[i], stop));
    }
    for (const DecidedTrack& decided : setup_.decided) {
        if (!missing.contains(decided.input_sha256)) continue;
        throw Error(ErrorKind::usage, "belongs to a file that is not an input, or that has changed", decided.option,
                    "name the file of the report");
    }
}

int AnonymizeRun::run() {
    const InterruptGuard interrupts;
    return folder_ ? run_folder() : run_file();
}

int AnonymizeRun::run_file() {
    const std::string& input = arguments_.inputs.front();
    check_decided_tracks(arguments_.inputs, InterruptGuard::token());
    AnonymizeWorker worker(setup_, encoder_, common_);
    setup_.report.backend = worker.backend().why;
    std::optional<Progress> progress;
    const auto on_progress = [&](const AnonymizeProgress& now) {
        if (!progress) {
            // Each frame is read twice.
            const auto steps = now.frames ? std::optional(2 * *now.frames) : std::nullopt;
            progress.emplace(common_, fs::path(input).filename().string(), steps);
        }
        progress->update(now.found + now.hidden, now.hidden > 0 ? "hiding faces" : "finding faces");
    };
    ReportedFile reported;
    int status = 0;
    try {
        check_regular(input);
        reported = worker.process(input, is_still(input), sha256_of(input, InterruptGuard::token()),
                                  arguments_.archive.out, on_progress, InterruptGuard::token());
        // Not interrupted: the output is there, so its report must be, too.
        reported.output_sha256 = sha256_of(arguments_.archive.out);
        progress.reset();
        if (!reported.incomplete.empty()) {
            spdlog::warn("{}: incomplete: {}", input, reported.incomplete);
            status = exit_status(ErrorKind::input);
        }
    } catch (const Error& error) {
        progress.reset();
        if (error.kind() == ErrorKind::interrupted) throw;
        print_error(error);
        reported.input = input;
        reported.error = error.what();
        status = exit_status(error.kind());
    }
    write_report(reported);
    if (common_.quiet) return status;
    if (status == 0 || !reported.output.empty()) standard_output::print("{}\n", summary_of(reported));
    if (!encoder_.why().empty()) standard_output::print("encoder {}\n", encoder_.why());
    standard_output::print("backend {}\nreport  {}.html, {}.json\n", setup_.report.backend, report_base_, report_base_);
    return status;
}

void AnonymizeRun::write_report(const ReportedFile& reported) {
    ReportWriter report(report_base_, header_json(setup_.report));
    report.add(file_json(reported));
    report.commit();
}

std::string AnonymizeRun::write_again(const std::function<void(const AnonymizeProgress&)>& on_progress,
                                      const std::stop_token& stop) {
    const std::string& input = arguments_.inputs.front();
    check_decided_tracks(arguments_.inputs, stop);
    check_regular(input);
    AnonymizeWorker worker(setup_, encoder_, common_);
    setup_.report.backend = worker.backend().why;
    ReportedFile reported =
        worker.process(input, is_still(input), sha256_of(input, stop), arguments_.archive.out, on_progress, stop);
    reported.output_sha256 = sha256_of(arguments_.archive.out);
    write_report(reported);
    return report_base_ + ".json";
}

int AnonymizeRun::run_folder() {
    ArchiveWorkers workers(common_, setup_.settings.detector, arguments_.archive);
    ArchiveWork work;
    work.settings = archive_settings(*arguments_.archive.command, setup_.settings.detector);
    work.name_of = name_below_entry;
    work.use_list = [&](const std::vector<WorkItem>& list) {
        std::vector<std::string> paths;
        for (const WorkItem& item : list) paths.push_back(item.path);
        check_decided_tracks(paths, InterruptGuard::token());
    };
    work.outputs_of = [](const WorkItem& item) {
        const std::string name = hidden_name(item.name, item.path);
        return std::vector<std::string>{name, name + std::string(kReportExtension)};
    };
    work.workers = [&](std::size_t inputs) {
        return workers.choose(inputs, arguments_.streams, setup_.settings.detector);
    };
    work.make_worker = [&](int number) {
        return make_archive_worker(setup_, encoder_, workers.common_of(number), workers);
    };
    // The results of a video's parts are those of a pipeline over the whole video.
    work.make_part_worker = [&](int number) -> ProcessInput {
        SourceArguments source;
        source.source.decoder = setup_.decoder;
        auto worker = std::make_shared<DetectWorker>(workers.common_of(number), setup_.settings, source,
                                                     workers.budget(), workers.bytes_per_worker());
        return [worker](const auto& item, const auto& outputs, const auto& add_frames, const auto& stop) {
            return worker->process(item, outputs, add_frames, stop);
        };
    };
    work.make_plan_worker = [&](int) -> ProcessInput {
        return [&](const auto& item, const auto& outputs, const auto&, const auto& stop) {
            return plan_parts(item, outputs, setup_, stop);
        };
    };
    work.make_encode_worker = [&](int) -> ProcessInput {
        auto pool = std::make_shared<FramePool>();
        return [&, pool](const auto& item, const auto& outputs, const auto& add_frames, const auto& stop) {
            const MemoryBudget::Share memory = workers.budget()->acquire(memory_of(item), stop);
            return encode_part(item, outputs[0], setup_, encoder_, *pool, add_frames, stop);
        };
    };
    const int status = run_archive_command(arguments_.inputs, arguments_.archive, work, common_);
    if (!report_base_.empty()) {
        const ArchiveMerge merge({arguments_.archive.out});
        if (merge.mixed().empty()) {
            write_joined_report(report_base_, merge, InterruptGuard::requested());
        } else {
            spdlog::warn("{} has results of other settings, so no common report was written; each output has its own",
                         arguments_.archive.out);
            report_base_.clear();
        }
    }
    if (common_.quiet) return status;
    if (!encoder_.why().empty()) {
        standard_output::print("encoder {}\naudio   {}\n", encoder_.why(), setup_.copy_audio ? "copied" : "dropped");
    }
    standard_output::print("backend {}\n", workers.first().why);
    if (!report_base_.empty()) standard_output::print("report  {}.html, {}.json\n", report_base_, report_base_);
    return status;
}

void write_joined_report(const std::string& base, const ArchiveMerge& merge, bool interrupted) {
    using Json = nlohmann::ordered_json;
    std::optional<ReportWriter> report;
    Json header{{"program", "throng anonymize"}, {"version", TH_VERSION}, {"interrupted", interrupted}};
    std::vector<Json> waiting;  // inputs that failed, before the first that has a report
    const auto use = [&](const Json* found, Json file) {
        if (!report && found != nullptr) {
            header = *found;
            header.erase("files");
            header["interrupted"] = interrupted;
            report.emplace(base, header);
            for (Json& failed : std::exchange(waiting, {})) report->add(std::move(failed));
        }
        report ? report->add(std::move(file)) : waiting.push_back(std::move(file));
    };
    merge.for_each([&](const ManifestEntry& entry, const fs::path& folder) {
        if (entry.status == InputStatus::failed) {
            ReportedFile failed;
            failed.input = entry.input;
            failed.input_sha256 = entry.sha256;
            failed.error = entry.error;
            return use(nullptr, file_json(failed));
        }
        for (const OutputRecord& output : entry.outputs) {
            if (!output.name.ends_with(kReportExtension)) continue;
            const std::string path = (folder / output.name).string();
            try {
                std::ifstream stream(path);
                const Json found = Json::parse(stream);
                use(&found, found.at("files").at(0));
            } catch (const Json::exception& error) {
                throw Error(ErrorKind::input, std::string("the report is damaged: ") + error.what(), path,
                            "process its input again");
            }
        }
    });
    if (!report) {
        report.emplace(base, header);
        for (Json& failed : waiting) report->add(std::move(failed));
    }
    report->commit();
}

}  // namespace throng
