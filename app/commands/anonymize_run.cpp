#include "app/commands/anonymize_run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "app/options/interrupt.h"
#include "app/options/nms_options.h"
#include "app/options/report.h"
#include "app/options/standard_output.h"
#include "core/base/atomic_file.h"
#include "core/base/sha256.h"
#include "core/detect/detector_kinds.h"
#include "core/model/cnn_plan.h"
#include "core/model/model_catalogue.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"
#include "core/pipeline/pipeline.h"
#include "core/video/exact_writer.h"
#include "core/video/image_file.h"
#include "core/video/image_writer.h"
#include "core/video/media_file_source.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr double kSamePts = 1e-6;            // seconds: the same frame, read twice
constexpr std::size_t kMaxThumbnails = 200;  // per file

std::string count_of(std::int64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Returns the threshold of written detections.
float usual_threshold(DetectorParams detector) {
    detector.score_threshold.reset();
    const std::string model = detector.model.empty() ? default_model(detector.kind) : detector.model;
    return cnn_score_threshold(detector, read_onnx(find_model(model, detector.kind)).head.family);
}

Error interrupted(const std::string& path) {
    return {ErrorKind::interrupted, "stopped; nothing was written", path};
}

}  // namespace

AnonymizeRun::AnonymizeRun(AnonymizeArguments arguments, const CommonOptions& common)
    : arguments_(std::move(arguments)), common_(common), run_files_(common) {
    only_ = parse_spans(arguments_.only);
    files_ = list_anonymize_files(arguments_.inputs, arguments_.out, run_files_);
    choose_detector();
    hiding_.redact.style = redact_style(arguments_.style);
    if (arguments_.margin) hiding_.redact.margin = *arguments_.margin;
    run_files_.add_model(arguments_.detector);
    prepare_report();
    read_keep_list();
}

// The default is the CNN if one of its models is installed.
void AnonymizeRun::choose_detector() {
    DetectorOptions& detector = arguments_.detector;
    const bool chosen = arguments_.detector_option != nullptr && arguments_.detector_option->count() > 0;
    if (!chosen && detector.model.empty()) {
        try {
            static_cast<void>(find_model(default_model(detector.kind), detector.kind));
        } catch (const Error&) {
            spdlog::warn(
                "no model of the {} detector is installed: the Haar cascade is used, which misses more faces; {}",
                detector.kind, detector_kind(detector.kind).get_models);
            detector.kind = "haar";
        }
    }
    const bool own_threshold =
        detector.score_threshold_option == nullptr || detector.score_threshold_option->count() == 0;
    finalize_detector_options(detector);
    hiding_ = hiding_params(detector.kind);
    hiding_.plan.delay = PlanOptions::kWholeSequence;
    if (detector.kind == "cnn") {
        // Detections that the detector alone would not report are hidden, and doubtful.
        const float threshold = usual_threshold(detector);
        hiding_.plan.low_score = threshold;
        if (own_threshold) detector.score_threshold = threshold * hiding_.threshold_fraction;
    }
    NmsOptions nms = nms_options_after_detector(BoxesFor::data);
    finalize_nms_options(nms, detector.kind);
    settings_.detector = detector;
    settings_.nms = nms.params;
    settings_.host_pixels = false;
    check_settings(settings_);
}

void AnonymizeRun::prepare_report() {
    report_.model = describe_model(arguments_.detector);
    const DetectorParams& detector = settings_.detector;
    nlohmann::ordered_json& settings = report_.settings;
    settings["detector"] = detector.kind;
    settings["model_sha256"] = report_.model.sha256;
    settings["min_size"] = detector.min_size;
    settings["max_size"] = detector.max_size;
    settings["scale_factor"] = detector.scale_factor;
    settings["score_threshold"] =
        detector.score_threshold ? nlohmann::ordered_json(*detector.score_threshold) : nullptr;
    settings["half"] = detector.half;
    settings["switches"] = detector.switches;
    settings["style"] = arguments_.style;
    settings["margin"] = hiding_.redact.margin;
    settings["only"] = arguments_.only;
    report_base_ = arguments_.report;
    if (report_base_.empty()) {
        report_base_ = files_.folder.empty() ? fs::path(arguments_.out).replace_extension(".report").string()
                                             : (fs::path(files_.folder) / "anonymize-report").string();
    }
    for (const char* extension : {".json", ".html"}) {
        const std::string path = report_base_ + extension;
        if (files_.folder.empty() || !arguments_.report.empty()) {
            run_files_.add_output("--report", path);
        } else {
            run_files_.check_output("--report", path);
        }
    }
}

void AnonymizeRun::read_keep_list() {
    if (arguments_.keep.empty()) return;
    std::set<std::string> hashes;
    for (const AnonymizeFile& file : files_.files) {
        std::error_code ignored;
        if (fs::is_regular_file(file.input, ignored)) hashes.insert(sha256_of(file.input));
    }
    for (const std::string& text : arguments_.keep) {
        KeptTrack kept = read_kept_track(text, report_.settings);
        if (!hashes.contains(kept.input_sha256)) {
            throw Error(ErrorKind::usage, "belongs to a file that is not an input, or that has changed",
                        "--keep " + text, "name the file of the report");
        }
        keep_.push_back(std::move(kept));
    }
}

int AnonymizeRun::run() {
    const InterruptGuard interrupts;
    const bool videos = std::any_of(files_.files.begin(), files_.files.end(), [](const AnonymizeFile& file) {
        return !file.still && fs::path(file.output).extension() != ".gif";
    });
    backend_ = make_backend(common_, &arguments_.detector);
    report_.backend = backend_.why;
    if (videos) encoder_ = choose_encoder(arguments_.encoder);
    report_.output = {{"encoder", encoder_.name}, {"quality", arguments_.quality}, {"audio", arguments_.audio}};
    const bool several = files_.files.size() > 1;
    if (several) {
        progress_.emplace(common_, fmt::format("{} files", files_.files.size()), files_.files.size());
    }
    for (const AnonymizeFile& file : files_.files) {
        if (InterruptGuard::requested() || output_failed_) break;
        process(file);
        if (several && progress_) progress_->update(report_.files.size(), fs::path(file.input).filename().string());
    }
    progress_.reset();
    report_.interrupted = InterruptGuard::requested();
    if (!report_.files.empty()) write_report();
    print_summary();
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : status_;
}

void AnonymizeRun::report(const Error& error) {
    if (progress_) progress_->finish();
    print_error(error);
    if (status_ == 0) status_ = exit_status(error.kind());
}

void AnonymizeRun::show_progress(std::uint64_t done, const std::string& note) {
    if (progress_) progress_->update(files_.files.size() > 1 ? report_.files.size() : done, note);
}

void AnonymizeRun::process(const AnonymizeFile& file) {
    ReportedFile reported;
    reported.input = file.input;
    reported.still = file.still;
    try {
        std::error_code failure;
        const bool regular = fs::is_regular_file(file.input, failure);
        if (failure && failure != std::errc::no_such_file_or_directory) {
            throw Error(ErrorKind::input, failure.message(), file.input);
        }
        if (!regular) {
            const bool exists = fs::exists(file.input, failure);
            throw Error(ErrorKind::input, exists ? "is not a regular file" : "there is no such file", file.input,
                        exists ? "videos are read twice, so streams and devices cannot be anonymized" : "");
        }
        reported.input_sha256 = sha256_of(file.input);
        file.still ? process_image(file, reported) : process_video(file, reported);
        reported.output = file.output;
        reported.output_sha256 = sha256_of(file.output);
        if (!reported.incomplete.empty()) {
            if (progress_) progress_->finish();
            spdlog::warn("{}: incomplete: {}", file.input, reported.incomplete);
            if (status_ == 0) status_ = exit_status(ErrorKind::input);
        }
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) return;
        reported.error = error.what();
        report(error);
    } catch (const fs::filesystem_error& error) {
        reported.error = error.what();
        report(Error(ErrorKind::input, error.code().message(), file.input));
    }
    report_.files.push_back(std::move(reported));
}

void AnonymizeRun::create_folder_of(const std::string& output) {
    if (files_.folder.empty()) return;
    std::error_code failure;
    fs::create_directories(fs::path(output).parent_path(), failure);
    if (!failure) return;
    output_failed_ = true;
    throw Error(ErrorKind::input, "the folder cannot be created: " + failure.message(), output);
}

std::shared_ptr<const FrameResult> AnonymizeRun::detect(const Frame& frame) {
    for (;;) {
        try {
            if (!images_) images_ = std::make_unique<FrameProcessor>(backend_.backend, settings_);
            DecodedFrame decoded;
            decoded.frame = frame;
            images_->submit(std::move(decoded));
            return images_->collect(true).result;
        } catch (const Error& error) {
            images_.reset();
            const bool may_fall_back = common_.backend == "auto" && backend_.backend->name() != "cpu";
            if (!may_fall_back || error.kind() == ErrorKind::input) throw;
            spdlog::warn("{}; continuing on the CPU", error.what());
            CommonOptions cpu = common_;
            cpu.backend = "cpu";
            backend_ = make_backend(cpu, &arguments_.detector);
        }
    }
}

void AnonymizeRun::process_image(const AnonymizeFile& file, ReportedFile& reported) {
    const ImageFile content = read_image_file(file.input);
    check_single_page(content);
    const LoadedImage image = decode_image(content);
    const std::shared_ptr<const FrameResult> result = detect(image.frame);
    reported.width = image.frame.width();
    reported.height = image.frame.height();
    reported.frames = 1;
    reported.incomplete = image.incomplete;
    if (content.header.alpha) reported.notes.emplace_back("transparent pixels are composed over white");

    // The missing part of an image may contain the rest of a face.
    RedactRegions regions;
    regions.whole = !image.incomplete.empty() || result->overflow > 0;
    for (const Detection& face : result->kept.detections) {
        ReportedTrack track;
        track.summary.track = ids_.next();
        track.summary.num_detected = 1;
        track.summary.best_score = face.score;
        track.summary.has_low_score = face.score < hiding_.plan.low_score;
        track.summary.best_box = face.box;
        track.samples = {{0, face.box}};
        const auto iou_is_high = [&](const KeptTrack& kept) {
            return kept.input_sha256 == reported.input_sha256 && overlap_of(kept.samples.front().box, face.box) > 0.5F;
        };
        track.kept = std::any_of(keep_.begin(), keep_.end(), iou_is_high);
        if (!track.kept) {
            regions.boxes.push_back(face.box);
            ++reported.detected;
        }
        reported.tracks.push_back(std::move(track));
    }
    const Frame hidden = redacted(image.frame, regions, hiding_.redact, pool_);
    std::size_t thumbnails = 0;
    for (ReportedTrack& track : reported.tracks) {
        if (track.summary.doubtful() && thumbnails++ < kMaxThumbnails) {
            track.thumbnail = make_thumbnail(hidden, track.summary.best_box);
        }
    }
    reported.whole_frames = regions.whole ? 1 : 0;
    const std::vector<std::uint8_t> bytes = encode_image(file.output, hidden);
    if (InterruptGuard::requested()) throw interrupted(file.input);
    create_folder_of(file.output);
    try {
        AtomicFile output(file.output);
        output.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        output.commit();
    } catch (const Error&) {
        output_failed_ = true;
        throw;
    }
}

void AnonymizeRun::process_video(const AnonymizeFile& file, ReportedFile& reported) {
    FaceRecorder recorder(hiding_.tracker, ids_);
    find_faces(file.input, recorder);
    write_video(file, recorder, reported);
}

// Reads the file once and records its faces. The pipeline continues on the CPU when the GPU fails.
void AnonymizeRun::find_faces(const std::string& path, FaceRecorder& recorder) {
    SourceOptions options;
    options.decoder = arguments_.decoder;
    options.device = common_.device;
    options.prefer_device_frames = backend_.backend->name() != "cpu";
    std::unique_ptr<VideoSource> source = open_media_file(file_request(path, options), InterruptGuard::token());
    const SourceInfo info = source->info();
    std::optional<std::uint64_t> frames;
    if (info.frame_count && *info.frame_count > 0) frames = 2 * static_cast<std::uint64_t>(*info.frame_count);
    if (files_.files.size() == 1) progress_.emplace(common_, fs::path(path).filename().string(), frames);

    PipelineOptions pipeline_options;
    if (common_.backend == "auto" && backend_.backend->name() != "cpu") {
        pipeline_options.fallback = [this] {
            CommonOptions cpu = common_;
            cpu.backend = "cpu";
            return make_backend(cpu, &arguments_.detector).backend;
        };
    }
    Pipeline pipeline(std::move(source), backend_.backend, settings_, pipeline_options);
    // The recorder outlives the pipeline.
    pipeline.add_sink(std::shared_ptr<FaceRecorder>(std::shared_ptr<void>(), &recorder));
    pipeline.start();
    while (!pipeline.wait_for(kPollInterval) && !InterruptGuard::requested()) {
        show_progress(recorder.num_frames(), "finding faces");
    }
    pipeline.stop();
    if (InterruptGuard::requested()) throw interrupted(path);
    if (const std::optional<Error> failure = pipeline.failure()) throw *failure;
}

// Returns the tracks that stay visible.
std::vector<std::int64_t> AnonymizeRun::kept_tracks(const FaceRecorder& recorder, const ReportedFile& reported) {
    std::vector<std::int64_t> tracks;
    for (const KeptTrack& kept : keep_) {
        if (kept.input_sha256 != reported.input_sha256) continue;
        if (const std::optional<std::int64_t> track = recorder.find(kept)) {
            tracks.push_back(*track);
        } else {
            if (progress_) progress_->finish();
            spdlog::warn("{}: track {} of the report was not found again, so it is hidden", reported.input, kept.id);
        }
    }
    return tracks;
}

void AnonymizeRun::write_video(const AnonymizeFile& file, FaceRecorder& recorder, ReportedFile& reported) {
    const std::vector<std::int64_t> kept = kept_tracks(recorder, reported);
    std::vector<FaceRecorder::RecordedFrame>& recorded = recorder.frames();
    FilePlan plan = make_file_plan(recorded, kept, hiding_.plan);
    for (const std::int64_t track : kept) {
        TrackSummary summary;
        summary.track = track;
        plan.tracks.push_back(summary);
    }

    std::map<std::int64_t, std::vector<ReportedTrack*>> thumbnails_at;  // by frame
    reported.tracks.resize(plan.tracks.size());
    std::size_t thumbnails = 0;
    for (std::size_t i = 0; i < plan.tracks.size(); ++i) {
        ReportedTrack& track = reported.tracks[i];
        track.summary = plan.tracks[i];
        track.kept = std::find(kept.begin(), kept.end(), track.summary.track) != kept.end();
        track.samples = recorder.samples().at(track.summary.track);
        track.first = track.samples.front().pts;
        track.last = track.samples.back().pts;
        if (track.summary.doubtful() && thumbnails++ < kMaxThumbnails) {
            thumbnails_at[track.summary.best_frame].push_back(&track);
        }
    }

    ExactReader reader(file.input, InterruptGuard::token());
    const VideoFormat& format = reader.format();
    reported.width = format.width;
    reported.height = format.height;
    reported.fps = format.fps;
    const bool copy_audio = arguments_.audio == "copy" && format.audio_tracks > 0;
    reported.audio = format.audio_tracks == 0
                         ? "none in the input"
                         : count_of(format.audio_tracks, "track", "tracks") + (copy_audio ? " copied" : " dropped");
    ExactWriterOptions options;
    options.encoder = encoder_.name;
    options.quality = arguments_.quality;
    if (copy_audio) options.audio = file.input;
    create_folder_of(file.output);
    const std::unique_ptr<ExactWriter> writer = make_exact_writer(file.output, format, options);

    ExactFrame frame;
    std::size_t next = 0;  // in `recorded`
    while (reader.next(frame, InterruptGuard::token())) {
        const double pts = frame.frame.info().pts;
        RedactRegions regions;
        while (next < recorded.size() && recorded[next].pts < pts - kSamePts) ++next;
        const bool judged = next < recorded.size() && recorded[next].pts <= pts + kSamePts;
        std::vector<ReportedTrack*> shown;
        double shown_until = pts;
        if (judged) {
            if (next + 1 < recorded.size()) shown_until = recorded[next + 1].pts;
            for (const PlannedRegion& region : plan.frames[next].regions) {
                reported.detected += region.reason == RegionReason::detected ? 1 : 0;
                reported.filled += region.reason == RegionReason::filled ? 1 : 0;
                reported.extended += region.reason == RegionReason::extended ? 1 : 0;
            }
            regions = plan.frames[next].to_hide();
            if (const auto found = thumbnails_at.find(static_cast<std::int64_t>(next)); found != thumbnails_at.end()) {
                shown = found->second;
            }
            ++next;
        }
        regions.whole = regions.whole || frame.damaged || !judged;
        if (!in_spans(only_, pts, shown_until)) {
            regions = {};
            shown.clear();
            ++reported.open_frames;
        }
        reported.whole_frames += regions.whole ? 1 : 0;
        if (regions.whole || !regions.boxes.empty())
            frame.frame = redacted(frame.frame, regions, hiding_.redact, pool_);
        for (ReportedTrack* track : shown) {
            track->thumbnail = make_thumbnail(frame.frame, track->summary.best_box);
        }
        ++reported.frames;
        try {
            writer->write(frame);
        } catch (const Error& error) {
            output_failed_ = error.kind() == ErrorKind::input;
            throw;
        }
        show_progress(recorder.num_frames() + static_cast<std::uint64_t>(reported.frames), "hiding faces");
    }
    if (InterruptGuard::requested()) throw interrupted(file.input);
    try {
        writer->commit();
    } catch (const Error&) {
        output_failed_ = true;
        throw;
    }
    reported.incomplete = reader.incomplete();
    reported.notes = writer->notes();
    if (reader.has_times() && reader.corrected_times() > 0) {
        reported.notes.push_back(count_of(reader.corrected_times(), "time stamp was", "time stamps were") +
                                 " missing or out of order");
    }
}

void AnonymizeRun::write_report() {
    try {
        const auto write = [](const std::string& path, const std::string& text) {
            AtomicFile output(path);
            output.write(text);
            output.commit();
        };
        constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
        if (!files_.folder.empty()) fs::create_directories(files_.folder);
        write(report_base_ + ".json", report_json(report_).dump(1, ' ', false, kReplace) + "\n");
        write(report_base_ + ".html", report_html(report_));
    } catch (const Error& error) {
        report(error);
    } catch (const fs::filesystem_error& error) {
        report(Error(ErrorKind::input, error.code().message(), report_base_));
    }
}

void AnonymizeRun::print_summary() const {
    if (common_.quiet) return;
    std::int64_t written = 0;
    std::int64_t detected = 0;
    constexpr std::size_t kMaxListed = 32;
    for (const ReportedFile& file : report_.files) {
        if (file.output.empty()) continue;
        ++written;
        detected += file.detected;
        if (report_.files.size() > kMaxListed) continue;
        std::string text = fmt::format("{}: {}", file.output, count_of(file.detected, "face", "faces"));
        if (!file.still) {
            text += fmt::format(" in {} of {}, {} filled in, audio: {}",
                                count_of(static_cast<std::int64_t>(file.tracks.size()), "track", "tracks"),
                                count_of(file.frames, "frame", "frames"), file.filled + file.extended, file.audio);
        }
        if (file.whole_frames > 0)
            text += fmt::format(", {} hidden whole", count_of(file.whole_frames, "frame", "frames"));
        if (file.open_frames > 0)
            text += fmt::format(", {} outside --only", count_of(file.open_frames, "frame", "frames"));
        for (const std::string& note : file.notes) text += "; " + note;
        standard_output::print("{}\n", text);
    }
    standard_output::print("{} of {} written, {} hidden\n", written,
                           count_of(static_cast<std::int64_t>(files_.files.size()), "file", "files"),
                           count_of(detected, "face", "faces"));
    if (files_.skipped > 0) {
        standard_output::print("{} in the folders skipped: no images and no videos\n",
                               count_of(static_cast<std::int64_t>(files_.skipped), "file", "files"));
    }
    if (!encoder_.why.empty()) standard_output::print("encoder {}\n", encoder_.why);
    standard_output::print("backend {}\n", report_.backend);
    if (!report_.files.empty()) standard_output::print("report  {}.html, {}.json\n", report_base_, report_base_);
}

}  // namespace throng
