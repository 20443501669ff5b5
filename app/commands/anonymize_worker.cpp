#include "app/commands/anonymize_worker.h"

#include <chrono>
#include <limits>
#include <opencv2/core.hpp>
#include <utility>

#include "app/commands/anonymize_hiding.h"
#include "core/algo/nms_rules.h"
#include "core/annotations/labels.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "core/video/damage_watch.h"
#include "core/video/exact_writer.h"
#include "core/video/formats.h"
#include "core/video/image_file.h"
#include "core/video/image_writer.h"
#include "core/video/media_source.h"
#include "core/video/strip_writer.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

constexpr auto kProgressInterval = std::chrono::milliseconds(50);

Error interrupted(const std::string& path) {
    return {ErrorKind::interrupted, "stopped; nothing was written", path};
}

// Adds the results of a pipeline to a plan.
class PlanSink final : public ResultSink {
public:
    // plan: must outlive the pipeline.
    explicit PlanSink(VideoPlan& plan) : plan_(plan) {}
    void write(const FrameResult& result) override { plan_.push(lookahead_input(result)); }
    void close() override {}

private:
    VideoPlan& plan_;
};

// Writes what is hidden in each frame of a file, for `throng eval --leaks`; nothing without --regions.
class RegionWriter {
public:
    // setup: must outlive it.
    RegionWriter(const AnonymizeSetup& setup, std::string source)
        : options_(setup.hiding.redact), source_(std::move(source)) {
        if (!setup.arguments.regions.empty()) file_.emplace(setup.arguments.regions);
    }
    // Adds the next frame.
    void write(const Frame& frame, const RedactRegions& regions) {
        if (!file_) return;
        RegionLabels labels;
        labels.source = source_;
        labels.frame = next_++;
        labels.width = frame.width();
        labels.height = frame.height();
        labels.pts = frame.info().pts;
        file_->write(region_line(std::move(labels), regions, options_));
    }
    // Gives the file its name.
    void commit() {
        if (file_) file_->commit();
    }

private:
    const RedactOptions& options_;
    std::optional<AtomicFile> file_;
    std::string source_;
    std::int64_t next_ = 0;  // number of the next frame
};

}  // namespace

AnonymizeWorker::AnonymizeWorker(const AnonymizeSetup& setup, EncoderOnDemand& encoder, const CommonOptions& common)
    : AnonymizeWorker(setup, encoder, common, make_backend(common, &setup.settings.detector)) {}

AnonymizeWorker::AnonymizeWorker(const AnonymizeSetup& setup, EncoderOnDemand& encoder, const CommonOptions& common,
                                 BackendChoice backend)
    : setup_(setup),
      encoder_(encoder),
      common_(common),
      why_(std::move(backend.why)),
      images_(backend.backend, setup.settings, make_fallback(common, setup.settings.detector, backend.backend.get())) {}

BackendChoice AnonymizeWorker::backend() const {
    return {images_.backend(),
            images_.fell_back() ? Message("%1: %2", images_.backend()->name(), images_.notice()) : why_};
}

ReportedFile AnonymizeWorker::process(const InputFiles& input, bool still, const std::string& sha256,
                                      const std::string& output, const OnProgress& on_progress,
                                      const std::stop_token& stop) {
    progress_ = {};
    ReportedFile reported;
    reported.input = input.path();
    reported.still = still;
    reported.input_sha256 = sha256;
    if (still) {
        process_image(input, output, reported, stop);
        progress_ = {1, 1, 1};
        on_progress(progress_);
    } else {
        VideoPlan plan(setup_.hiding);
        reported.incomplete = find_faces(input.path(), plan, on_progress, stop);
        write_video(input, output, plan, reported, on_progress, stop);
    }
    reported.output = output;
    return reported;
}

void AnonymizeWorker::process_image(const InputFiles& files, const std::string& output, ReportedFile& reported,
                                    const std::stop_token& stop) {
    const std::string& input = files.path();
    const ImageFile content = read_image_file(input, ImageSizes::strips);
    check_single_page(content);
    const LoadedImage image = decode_image(content, stop, stop);
    DecodedFrame decoded;
    decoded.frame = image.frame;
    const std::shared_ptr<const FrameResult> result = images_.detect(std::move(decoded)).result;
    if (!result) throw Error(ErrorKind::internal, "the image was not detected", input);
    reported.width = image.frame.width();
    reported.height = image.frame.height();
    reported.frames = 1;
    reported.incomplete = image.incomplete;
    if (image.composed) reported.notes.emplace_back(kComposedText);

    // The missing part of an image may contain the rest of a face.
    RedactRegions regions;
    regions.whole = !image.incomplete.empty() || lacks_detections(*result);
    const auto hide = [&](const Detection& face, const PlanOptions& plan, bool is_face) {
        ReportedTrack track;
        track.object = reported_object(setup_.hiding.faces.has_value(), is_face);
        track.summary.track = static_cast<std::int64_t>(reported.tracks.size()) + 1;
        track.summary.num_detected = 1;
        track.summary.best_score = face.score;
        track.summary.has_low_score = face.score < plan.low_score;
        track.summary.best_box = face.box;
        track.samples = {{0, face.box}};
        for (const DecidedTrack& decided : setup_.decided) {
            if (decided.input_sha256 != reported.input_sha256 || decided.object != track.object) continue;
            if (pair_overlap(Overlap::iou, decided.samples.front().box, face.box, 0) <= 0.5F) continue;
            track.kept = decided.keep;
            track.decided_by = setup_.arguments.decided_by;
        }
        if (!track.kept) {
            regions.boxes.push_back(hidden_box(face.box, plan));
            ++reported.detected;
        }
        reported.tracks.push_back(std::move(track));
    };
    for (const Detection& found : result->kept.detections) hide(found, setup_.hiding.plan, false);
    if (result->faces) {
        for (const Detection& face : result->faces->kept.detections) hide(face, setup_.hiding.faces->plan, true);
    }
    RegionWriter region_lines(setup_, input);
    region_lines.write(image.frame, regions);
    reported.whole_frames = regions.whole ? 1 : 0;
    AtomicFile file(output);
    if (image.frame.rows() != nullptr) {
        write_strips(image.frame, regions, input, output, file);
    } else {
        const Frame hidden = redacted(image.frame, regions, setup_.hiding.redact, pool_);
        std::size_t thumbnails = 0;
        for (ReportedTrack& track : reported.tracks) {
            if (track.summary.doubtful() && !track.kept && thumbnails++ < kMaxThumbnails) {
                track.thumbnail = make_thumbnail(hidden, track.summary.best_box);
            }
        }
        std::vector<std::uint8_t> bytes;
        try {
            bytes = encode_image(output, hidden);
        } catch (const Error& error) {  // of this image, not of the disk
            throw Error(error.kind(), error.problem(), input, error.advice());
        }
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    if (stop.stop_requested()) throw interrupted(input);
    files.check_unchanged();
    file.commit();
    region_lines.commit();
}

// Reads the image twice: its regions are measured, then hidden.
void AnonymizeWorker::write_strips(const Frame& frame, const RedactRegions& regions, const std::string& input,
                                   const std::string& output, const AtomicFile& file) {
    const PixelFormat format = frame.info().format;
    StripRedactor redactor(format, frame.width(), frame.height(), regions, setup_.hiding.redact);
    std::optional<StripWriter> writer;
    try {
        writer.emplace(file, output, cv::Size(frame.width(), frame.height()), format);
    } catch (const Error& error) {  // of this image, not of the disk
        throw Error(error.kind(), error.problem(), input, error.advice());
    }
    const auto for_all_strips = [&](const auto& work) {
        const std::unique_ptr<RowReader> reader = frame.rows()->open();
        for (PlaneView strip = reader->next(); strip.height > 0; strip = reader->next()) {
            work(strip);
        }
    };
    for_all_strips([&](const PlaneView& strip) { redactor.measure(strip); });
    for_all_strips([&](const PlaneView& strip) {
        const int type = format == PixelFormat::gray8 ? CV_8UC1 : CV_8UC3;
        cv::Mat rows = cv::Mat(strip.height, frame.width(), type, const_cast<std::uint8_t*>(strip.data),
                               static_cast<std::size_t>(strip.pitch))
                           .clone();
        redactor.redact(rows.data, static_cast<std::ptrdiff_t>(rows.step[0]), rows.rows);
        writer->write(rows);
    });
    writer->finish();
}

// Reads the file once and adds its faces to the plan. The pipeline continues on the CPU when the GPU fails. Returns why
// faces could not be searched in every frame; empty: they could.
std::string AnonymizeWorker::find_faces(const std::string& input, VideoPlan& plan, const OnProgress& on_progress,
                                        const std::stop_token& stop) {
    SourceOptions options;
    options.decoder = setup_.arguments.decoder;
    set_device(options, common_.device, images_.backend()->kind() != BackendKind::cpu);
    std::unique_ptr<VideoSource> source = open_media(file_request(input, options), stop);
    const std::optional<std::int64_t> frames = source->info().frame_count;
    if (frames && *frames > 0) progress_.frames = static_cast<std::uint64_t>(*frames);

    PipelineOptions pipeline_options;
    pipeline_options.fallback = make_fallback(common_, setup_.settings.detector, images_.backend().get());
    Pipeline pipeline(std::move(source), images_.backend(), setup_.settings, pipeline_options);
    pipeline.add_sink(std::make_shared<PlanSink>(plan));
    pipeline.start();
    while (!pipeline.wait_for(kProgressInterval) && !stop.stop_requested()) {
        progress_.found = pipeline.counters().detected;
        on_progress(progress_);
    }
    pipeline.stop();
    if (stop.stop_requested()) throw interrupted(input);
    if (const std::optional<Error> failure = pipeline.failure()) throw *failure;
    progress_.found = pipeline.counters().detected;
    return pipeline.incomplete();
}

void AnonymizeWorker::write_video(const InputFiles& files, const std::string& output, VideoPlan& video,
                                  ReportedFile& reported, const OnProgress& on_progress, const std::stop_token& stop) {
    const std::string& input = files.path();
    HidingPlan plan(video, input, reported.input_sha256, setup_);
    MediaFileSource reader(input, stop);
    describe_video(reader.format(), setup_, reported);
    ExactWriterOptions options;
    if (!names_animation(output)) options.encoder.encoder = reported.encoder = encoder_.get().name;
    options.encoder.quality = setup_.arguments.quality;
    if (copies_audio(reader.format(), setup_)) options.audio = input;
    const std::unique_ptr<ExactWriter> writer = make_exact_writer(output, reader.format(), options);
    RegionWriter region_lines(setup_, input);
    const auto on_frames = [&](std::int64_t frames) {
        progress_.hidden = static_cast<std::uint64_t>(frames);
        on_progress(progress_);
    };
    HiddenFrames hidden = hide_frames(
        reader, std::numeric_limits<double>::infinity(), [&] { return plan.next(); }, setup_, pool_,
        [&](const ExactFrame& frame) { writer->write(frame); }, on_frames, stop,
        [&](const Frame& frame, const RedactRegions& regions) { region_lines.write(frame, regions); });
    const std::string unused_spans = unused_spans_text(hidden.used_spans, input, setup_);
    // Faces were found in the file of the first pass.
    files.check_unchanged();
    writer->commit();
    region_lines.commit();
    static_cast<HiddenCounts&>(reported) = hidden;
    reported.tracks = std::move(plan.tracks);
    for (auto& [track, thumbnail] : hidden.thumbnails) reported.tracks.at(track).thumbnail = std::move(thumbnail);
    // Damage of the file is met by both passes, a lack of memory by one. Its frames are hidden entirely.
    if (const std::string unread = reader.incomplete(); !unread.empty()) {
        reported.incomplete = unread;
    } else if (!reported.incomplete.empty()) {
        reported.incomplete = "faces were not searched in all frames: " + reported.incomplete;
    }
    reported.incomplete = joined_reasons(reported.incomplete, joined_reasons(unused_spans, writer->incomplete()));
    reported.notes = writer->notes();
    if (reported.composed_frames > 0) reported.notes.emplace_back(kComposedText);
    if (const std::string text = corrected_times_text(reader); !text.empty()) reported.notes.push_back(text);
}

}  // namespace throng
