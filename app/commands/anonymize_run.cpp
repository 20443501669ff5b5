#include "app/commands/anonymize_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_hiding.h"
#include "app/commands/anonymize_parts.h"
#include "app/commands/anonymize_worker.h"
#include "app/commands/archive_workers.h"
#include "app/commands/detect_archive.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/report.h"
#include "app/options/standard_output.h"
#include "core/archive/own_files.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_text.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "core/base/text_encoding.h"
#include "core/video/file_kind.h"
#include "core/video/source_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportName = "anonymize-report";  // of the common report in the output folder

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

// Returns true if no report has this name, or that of the output has.
bool is_free_for_report(const std::string& base, const fs::path& output) {
    std::error_code ignored;
    if (!fs::exists(base + ".json", ignored)) return !fs::exists(base + ".html", ignored);
    if (!fs::is_regular_file(base + ".json", ignored)) return false;
    try {
        const auto report = parse_json<nlohmann::ordered_json>(read_file(base + ".json"), false);
        if (report.at("program") != "throng anonymize" || report.at("files").size() != 1) return false;
        const auto named = report.at("files").at(0).at("output").get<std::string>();
        return named.empty() || fs::path(named).filename() == name_as_text(output.filename().string());
    } catch (const nlohmann::json::exception&) {
        return false;
    } catch (const Error&) {  // cannot be read
        return false;
    }
}

// Returns the base of the report's name for the one output: hidden.report for hidden.mp4, or hidden.mp4.report if the
// other is taken, for example by the report of hidden.jpg. Throws Error(usage) if both are.
std::string report_beside(const fs::path& output) {
    const std::string bases[] = {fs::path(output).replace_extension(".report").string(), output.string() + ".report"};
    for (const std::string& base : bases) {
        if (is_free_for_report(base, output)) return base;
    }
    throw Error(ErrorKind::usage, "is not the report of " + output.string(), bases[1] + ".json",
                {"use %1", Setting{"report", "BASE"}});
}

std::string summary_of(const ReportedFile& file, Hidden what) {
    const bool is_faces = what == Hidden::faces;
    const std::string found =
        what == Hidden::both
            ? fmt::format("{} of people and faces", text_of_count(file.detected, "region", "regions"))
            : text_of_count(file.detected, is_faces ? "face" : "person", is_faces ? "faces" : "people");
    std::string text = fmt::format("{}: {}", file.output, found);
    if (!file.still) {
        text += fmt::format(" in {} of {}, {} filled in, audio: {}",
                            text_of_count(static_cast<std::int64_t>(file.tracks.size()), "track", "tracks"),
                            text_of_count(file.frames, "frame", "frames"), file.filled + file.extended, file.audio);
    }
    if (file.whole_frames > 0)
        text += fmt::format(", {} hidden entirely", text_of_count(file.whole_frames, "frame", "frames"));
    if (file.open_frames > 0)
        text += fmt::format(", {} outside --only", text_of_count(file.open_frames, "frame", "frames"));
    for (const std::string& note : file.notes) text += "; " + note;
    return text;
}

// Returns what decides about the results of an archive, instead of the names of files: equal decisions about the same
// tracks are equal settings, whichever report they come from.
nlohmann::json contents_of_settings(const AnonymizeSetup& setup) {
    nlohmann::json contents{{"keep", nlohmann::json::array()}, {"hide", nlohmann::json::array()}};
    for (const DecidedTrack& track : setup.decided) {
        nlohmann::json samples = nlohmann::json::array();
        for (const TrackSample& sample : track.samples) {
            samples.push_back({sample.pts, sample.box.x, sample.box.y, sample.box.w, sample.box.h});
        }
        nlohmann::json content{{"input", track.input_sha256}, {"samples", samples}};
        if (!track.object.empty()) content["class"] = track.object;
        contents[track.keep ? "keep" : "hide"].push_back(std::move(content));
    }
    for (nlohmann::json& list : contents) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    contents["in_effect"] = setup.report.settings;  // with the defaults of the detector's kind
    return contents;
}

// Returns a function that hides the faces of one input of an archive, and writes its report. outside_spans: counts the
// inputs of which no frame is in --only.
ProcessInput make_archive_worker(const AnonymizeSetup& shared, EncoderOnDemand& encoder, VideoPlans& plans,
                                 const ArchiveWorkers& workers, int number, int count,
                                 std::atomic<std::size_t>& outside_spans) {
    AnonymizeSetup own = shared;
    own.settings.detector = workers.detector_of(count);
    const auto kept = std::make_shared<const AnonymizeSetup>(std::move(own));
    auto worker = std::make_shared<AnonymizeWorker>(*kept, encoder, workers.common_of(number));
    return [worker, kept, &setup = *kept, &encoder, &plans, &outside_spans, budget = workers.budget(),
            most = workers.bytes_per_worker(count)](const WorkItem& item, const std::vector<std::string>& outputs,
                                                    const std::function<void(std::uint64_t)>& add_frames,
                                                    const std::stop_token& stop) {
        const std::uint64_t bytes = memory_of(item);
        const MemoryBudget::Share memory = budget->acquire(bytes, stop);
        const bool still = is_still_image(item.path);
        std::uint64_t added = 0;
        const auto on_progress = [&](const AnonymizeProgress& progress) {
            add_frames(progress.hidden - std::exchange(added, progress.hidden));
        };
        ReportedFile reported;
        try {
            if (item.split) {
                try {
                    reported = join_parts(item, outputs[0], setup, encoder, plans, stop);
                } catch (const PartsDoNotJoin& error) {
                    logger().warn("{}: {}; processing the whole file again", item.path, error.what());
                }
            }
            if (reported.output_sha256.empty()) {
                reported = worker->process(input_files(item.path), still, item.sha256, outputs[0], on_progress, stop);
                reported.output_sha256 = sha256_of(outputs[0], stop);
            }
        } catch (const NoFrameInSpans& error) {
            ++outside_spans;
            throw Error(ErrorKind::input, error.problem(), item.path);
        } catch (const Error& error) {
            worker->free_buffers();
            // The form of this output cannot hold this input: the others continue.
            if (error.kind() != ErrorKind::usage) throw;
            throw Error(ErrorKind::input, error.problem(), item.path);
        }
        // As in a run on another machine, where only the folder of the inputs may differ.
        reported.input = item.name;
        reported.output = hidden_name(item.name, item.path);
        reported.folder = folder_of_name(item.path, item.name);
        reported.in_archive = true;
        ReportHeader header = setup.report;
        header.backend = worker->backend().why.text();
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
        if (fs::is_directory(input, ignored)) continue;
        for (const std::string& file : files_of_file(input)) run_files_.add_input("the input", file);
    }
    run_files_.add_input("the list", arguments_.archive.files_from);
    run_files_.add_model(setup_.settings.detector);
    if (setup_.settings.faces) run_files_.add_model(setup_.settings.faces->detector);
    report_base_ = arguments_.report;
    if (!report_base_.empty()) check_report_base(report_base_);
    if (folder_) {
        if (!arguments_.regions.empty()) {
            throw Error(ErrorKind::usage, "is of one file", Setting{"regions"}, {"name a file for %1", Setting{"out"}});
        }
        const bool is_part = parse_shard(arguments_.archive.shard).count > 1;
        if (is_part && !report_base_.empty()) {
            throw Error(ErrorKind::usage, {"cannot be combined with %1", Setting{"shard"}}, Setting{"report"},
                        {"join the reports of all shards with throng merge %1", Setting{"report", "BASE"}});
        }
        if (!is_part && report_base_.empty()) report_base_ = (fs::path(out) / kReportName).string();
    } else {
        reject_archive_options(arguments_.archive, {"name a folder for %1", Setting{"out"}});
        if (fs::exists(arguments_.inputs.front(), ignored))
            check_hidden_name(out, is_still_image(arguments_.inputs.front()));
        run_files_.add_output("out", out);
        if (arguments_.regions == "-")
            throw Error(ErrorKind::usage, "is not a file", Setting{"regions"}, "name a file");
        run_files_.add_output("regions", arguments_.regions);
        if (report_base_.empty()) report_base_ = report_beside(out);
    }
    if (report_base_.empty()) return;
    for (const char* extension : kReportFileExtensions) {
        // The folder may not exist yet.
        if (folder_ && arguments_.report.empty()) {
            run_files_.check_output("report", report_base_ + extension);
        } else {
            run_files_.add_output("report", report_base_ + extension);
        }
    }
}

void AnonymizeRun::check_report(const std::vector<WorkItem>& list) const {
    if (report_base_.empty()) return;
    RunFiles files(common_);
    for (const char* extension : kReportFileExtensions) {
        std::error_code ignored;
        if (!fs::exists(report_base_ + extension, ignored)) continue;
        for (const WorkItem& item : list) files.add_input("the input", item.path);
        files.check_output("report", report_base_ + extension);
    }
}

void AnonymizeRun::check_decided_tracks(const std::vector<std::string>& inputs, const std::stop_token& stop) const {
    std::set<std::string> missing;
    for (const DecidedTrack& decided : setup_.decided) missing.insert(decided.input_sha256);
    for (std::size_t i = 0; i < inputs.size() && !missing.empty(); ++i) {
        std::error_code ignored;
        if (fs::is_regular_file(inputs[i], ignored)) missing.erase(input_files(inputs[i]).sha256(stop));
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
    setup_.report.backend = worker.backend().why.text();
    std::optional<Progress> progress;
    const auto on_progress = [&](const AnonymizeProgress& now) {
        if (!progress) {
            // Each frame is read twice.
            const auto steps = now.frames ? std::optional(2 * *now.frames) : std::nullopt;
            progress.emplace(common_, fs::path(input).filename().string(), steps);
        }
        const std::string_view objects =
            setup_.arguments.what == Hidden::both ? "people and faces" : name_of(kHiddenNames, setup_.arguments.what);
        progress->update(now.found + now.hidden, fmt::format("{} {}", now.hidden > 0 ? "hiding" : "finding", objects));
    };
    ReportedFile reported;
    int status = 0;
    try {
        reported = hide_input(worker, on_progress, InterruptGuard::token());
        progress.reset();
        if (!reported.incomplete.empty()) {
            logger().warn("{}: incomplete: {}", input, reported.incomplete);
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
    if (status == 0 || !reported.output.empty())
        standard_output::print("{}\n", summary_of(reported, setup_.arguments.what));
    if (!encoder_.why().empty()) standard_output::print("encoder {}\n", encoder_.why());
    standard_output::print("backend {}\nreport  {}.html, {}.json\n", setup_.report.backend, report_base_, report_base_);
    return status;
}

ReportedFile AnonymizeRun::hide_input(AnonymizeWorker& worker, const AnonymizeWorker::OnProgress& on_progress,
                                      const std::stop_token& stop) const {
    const std::string& input = arguments_.inputs.front();
    const std::string& out = arguments_.archive.out;
    check_regular(input);
    const InputFiles files = input_files(input);
    ReportedFile reported = worker.process(files, is_still_image(input), files.sha256(stop), out, on_progress, stop);
    reported.output_sha256 = sha256_of(out);  // not interrupted: the output is there, so its report must be, too
    return reported;
}

void AnonymizeRun::write_report(ReportedFile reported) {
    if (fs::path(reported.input).is_relative() || fs::path(reported.output).is_relative()) {
        reported.folder = fs::current_path().string();
    }
    ReportWriter report(report_base_, header_json(setup_.report));
    report.add(file_json(reported));
    report.commit();
}

std::string AnonymizeRun::write_again(const AnonymizeWorker::OnProgress& on_progress, const std::stop_token& stop) {
    check_decided_tracks(arguments_.inputs, stop);
    AnonymizeWorker worker(setup_, encoder_, common_);
    setup_.report.backend = worker.backend().why.text();
    write_report(hide_input(worker, on_progress, stop));
    return report_base_ + ".json";
}

int AnonymizeRun::run_folder() {
    // A report that --report names is replaced; the one that gets its name here only if it is ours.
    const bool is_beside = !report_base_.empty() && arguments_.report.empty();
    OwnFiles own(arguments_.archive.out);
    for (const char* extension : kReportFileExtensions) {
        const std::string why = is_beside ? own.why_kept(std::string(kReportName) + extension) : "";
        if (!why.empty()) throw Error(ErrorKind::usage, why);
    }
    const ArchiveWorkers workers(common_, setup_.settings.detector, arguments_.archive);
    ArchiveWork work;
    const nlohmann::json contents = contents_of_settings(setup_);
    work.settings = archive_settings(*arguments_.archive.command, setup_.settings.detector, &contents);
    work.name_of = name_below_entry;
    std::atomic<std::size_t> outside_spans = 0;
    std::size_t inputs_of_shard = 0;
    work.use_list = [&](const std::vector<WorkItem>& list) {
        inputs_of_shard = select_shard(list, parse_shard(arguments_.archive.shard)).size();
        check_report(list);
        std::vector<std::string> paths;
        for (const WorkItem& item : list) paths.push_back(item.path);
        check_decided_tracks(paths, InterruptGuard::token());
    };
    work.outputs_of = [](const WorkItem& item) {
        const std::string name = hidden_name(item.name, item.path);
        return std::vector<std::string>{name, name + std::string(kReportExtension)};
    };
    work.files.workers = [&](std::size_t inputs) { return workers.choose(inputs, arguments_.streams); };
    work.encoded_parts = work.parts = work.files;
    VideoPlans plans(setup_);
    work.files.make_worker = [&](int worker, int count) {
        return make_archive_worker(setup_, encoder_, plans, workers, worker, count, outside_spans);
    };
    // The results of a video's parts are those of a pipeline over the whole video.
    SourceArguments source;
    source.source.decoder = setup_.arguments.decoder;
    work.parts.make_worker = [&](int worker, int count) {
        return DetectWorker::make(workers, worker, count, setup_.settings, source);
    };
    work.encoded_parts.make_worker = [&](int, int) -> ProcessInput {
        auto pool = std::make_shared<FramePool>();
        return [&, pool](const auto& item, const auto& outputs, const auto& add_frames, const auto& stop) {
            const MemoryBudget::Share memory = workers.budget()->acquire(memory_of(item), stop);
            return encode_part(item, outputs[0], setup_, encoder_, plans, *pool, add_frames, stop);
        };
    };
    int status = run_archive_command(arguments_.inputs, arguments_.archive, work, common_);
    // A mistake in --only rather than in an input.
    if (status == exit_status(ErrorKind::input) && outside_spans == inputs_of_shard) {
        status = exit_status(ErrorKind::usage);
    }
    if (!report_base_.empty()) {
        const ArchiveMerge merge({arguments_.archive.out});
        if (merge.mixed().empty()) {
            const fs::path out(arguments_.archive.out);
            const fs::path made = is_beside ? out / kRecordFolder / kReportName : fs::path(report_base_);
            write_joined_report(made.string(), merge, InterruptGuard::requested());
            std::vector<std::pair<fs::path, std::string>> files;
            for (const char* extension : kReportFileExtensions) {
                const std::string name = std::string(kReportName) + extension;
                if (is_beside) files.emplace_back(out / kRecordFolder / name, name);
            }
            place_beside_results(out, files);
        } else {
            logger().warn("{} has results of other settings, so no common report was written; each output has its own",
                          arguments_.archive.out);
            report_base_.clear();
        }
    }
    if (common_.quiet) return status;
    if (!encoder_.why().empty()) {
        standard_output::print("encoder {}\naudio   {}\n", encoder_.why(),
                               setup_.arguments.copy_audio ? "copied" : "dropped");
    }
    standard_output::print("backend {}\n", workers.first().why.text());
    if (!report_base_.empty()) standard_output::print("report  {}.html, {}.json\n", report_base_, report_base_);
    return status;
}

void write_joined_report(const std::string& base, const ArchiveMerge& merge, bool interrupted) {
    using Json = nlohmann::ordered_json;
    std::optional<ReportWriter> report;
    std::vector<std::string> left_out;
    for (const std::string& name : merge.left_out()) left_out.push_back(name_as_text(name));
    Json header{
        {"program", "throng anonymize"}, {"version", TH_VERSION}, {"interrupted", interrupted}, {"left_out", left_out}};
    std::vector<Json> waiting;  // inputs that failed, before the first that has a report
    const auto use = [&](const Json* found, Json file) {
        if (!report && found != nullptr) {
            header = *found;
            header.erase("files");
            header["interrupted"] = interrupted;
            header["left_out"] = left_out;
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
            failed.in_archive = true;
            return use(nullptr, file_json(failed));
        }
        for (const OutputRecord& output : entry.outputs) {
            if (!output.name.ends_with(kReportExtension)) continue;
            const std::string path = (folder / output.name).string();
            try {
                const Json found = parse_json<Json>(read_file(path));
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
