#include "app/commands/detect_archive.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/commands/detect_run.h"
#include "app/options/backend.h"
#include "app/options/interrupt.h"
#include "core/archive/merge.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/record_file.h"
#include "core/base/sha256.h"
#include "core/model/model_finder.h"
#include "core/pipeline/run.h"
#include "core/sinks/count_sink.h"
#include "core/sinks/part_file.h"
#include "core/sinks/relink_sink.h"
#include "core/video/source.h"
#include "core/video/video_division.h"

namespace throng {
namespace {

struct OpenPart {
    std::unique_ptr<VideoSource> source;
    std::optional<Frame> before;  // the last frame before the part
    std::optional<Frame> first;   // frame of the part, or after it
};

// Opens a video at the first frame from `begin` seconds on.
OpenPart open_part(const WorkItem& item, double begin, const SourceOptions& options, const std::stop_token& stop) {
    for (const double run_up : kRunUps) {
        OpenPart part{open_source(file_spec(item), options, stop), {}, {}};
        if (begin > run_up && !part.source->seek(begin - run_up)) continue;
        while (!part.first) {
            if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", item.path);
            Frame frame;
            const ReadStatus status = part.source->read(frame, stop);
            if (status == ReadStatus::end) break;
            if (status == ReadStatus::timeout) continue;
            (frame.info().pts < begin ? part.before : part.first) = frame;
        }
        // A frame may be damaged because decoding did not begin earlier.
        if (begin <= run_up || !part.before || !part.before->info().damaged) return part;
    }
    throw Error(ErrorKind::internal, "no start of the part", item.path);
}

// Writes the results of one file. outputs: as DetectWorker::process.
class ResultWriter final : public ResultSink {
public:
    ResultWriter(const std::vector<std::string>& outputs, bool raw, const DetectExtras& extras,
                 const std::stop_token& stop)
        : lines_(outputs[0]), fields_{raw, extras.tracks}, stop_(stop) {
        if (extras.count) counts_.emplace(*extras.count, CountOutputs{outputs[1], outputs[2]}, stop);
    }
    void write(const FrameResult& result) override {
        lines_.write_line(json_line(result, fields_), stop_);
        if (counts_) counts_->write(result);
    }
    void close() override {
        lines_.close(stop_);
        if (counts_) counts_->close();
    }

private:
    RecordWriter lines_;
    JsonFields fields_;
    std::stop_token stop_;
    std::optional<CountSink> counts_;
};

// Returns a writer of the results of one file. Tracks are linked with what comes after them. tracker: for results without
// tracks.
std::shared_ptr<ResultSink> make_writer(const std::vector<std::string>& outputs, const PipelineSettings& settings,
                                        const DetectExtras& extras, const std::stop_token& stop,
                                        const std::optional<TrackerParams>& tracker = {}) {
    std::shared_ptr<ResultSink> writer = std::make_shared<ResultWriter>(outputs, settings.keep_raw, extras, stop);
    if (settings.tracking) writer = std::make_shared<RelinkSink>(std::vector{std::move(writer)}, tracker);
    return writer;
}

}  // namespace

DetectWorker::DetectWorker(const CommonOptions& common, const PipelineSettings& settings, const SourceArguments& source,
                           std::shared_ptr<MemoryBudget> budget, std::uint64_t kept_bytes, DetectExtras extras)
    : common_(common),
      settings_(settings),
      source_(source),
      budget_(std::move(budget)),
      kept_bytes_(kept_bytes),
      extras_(std::move(extras)),
      engine_(make_engine(common, settings)) {}

ProcessInput DetectWorker::make(const ArchiveWorkers& workers, int worker, int count, PipelineSettings settings,
                                const SourceArguments& source, const DetectExtras& extras) {
    settings.detector = workers.detector_of(count);
    auto made = std::make_shared<DetectWorker>(workers.common_of(worker), settings, source, workers.budget(),
                                               workers.bytes_per_worker(count), extras);
    return [made](const auto& item, const auto& outputs, const auto& add_frames, const auto& stop) {
        return made->process(item, outputs, add_frames, stop);
    };
}

InputResult DetectWorker::process(const WorkItem& item, const std::vector<std::string>& outputs,
                                  const AddFrames& add_frames, const std::stop_token& stop) {
    if (item.split && item.part == 0) {
        try {
            return join(item, outputs, add_frames, stop);
        } catch (const PartsDoNotJoin& error) {
            logger().warn("{}: {}; processing the whole file again", item.path, error.what());
        }
    }
    return detect(item, outputs, add_frames, stop);
}

InputResult DetectWorker::detect(const WorkItem& item, const std::vector<std::string>& outputs,
                                 const AddFrames& add_frames, const std::stop_token& stop) {
    SourceOptions options = source_.source;
    options.in_strips = true;
    set_device(options, common_.device, engine_.backend()->kind() != BackendKind::cpu);
    const std::uint64_t bytes = memory_of(item);
    const MemoryBudget::Share memory = budget_->acquire(bytes, stop);
    const bool is_part = item.part > 0;
    const double begin = is_part ? item.split->begin_of(item.part) : 0;
    const double end = is_part ? item.split->end_of(item.part) : std::numeric_limits<double>::infinity();
    OpenPart open =
        is_part ? open_part(item, begin, options, stop) : OpenPart{open_source(file_spec(item), options, stop), {}, {}};

    engine_.restart_tracks();  // ids must not depend on the files before
    InputResult result;
    std::optional<PartWriter> part;
    std::shared_ptr<ResultSink> whole;
    if (is_part) {
        part.emplace(outputs.front()).begin(open.before, stop);
    } else {
        whole = make_writer(outputs, settings_, extras_, stop);
    }
    const FrameInfo before = open.before ? open.before->info() : RunOptions().before;
    std::optional<Frame> last = std::move(open.before);  // of the part
    const auto write = [&](const FrameResult& found) {
        result.faces += found.kept.detections.size();
        add_frames(1);
        part ? part->write(found, stop) : whole->write(found);
        if (part) last = found.frame;
    };
    result.frames =
        run(*open.source, engine_, {item.name, source_.frames, end, before, std::move(open.first)}, write, stop);
    if (part) {
        part->finish(last, stop);
    } else {
        if (result.frames == 0) throw Error(ErrorKind::input, "contains no frames", item.path);
        whole->close();
    }
    result.backend = engine_.backend()->name();
    result.incomplete = open.source->incomplete();
    // The detector keeps buffers for its largest image.
    if (bytes > kept_bytes_) engine_.release();
    return result;
}

InputResult DetectWorker::join(const WorkItem& item, const std::vector<std::string>& outputs,
                               const AddFrames& add_frames, const std::stop_token& stop) {
    InputResult result;
    result.backend = engine_.backend()->name();
    const std::shared_ptr<ResultSink> whole = make_writer(outputs, settings_, extras_, stop, settings_.tracking);
    const auto add = [&](FrameResult& frame) {
        frame.source = item.name;
        result.faces += frame.kept.detections.size();
        whole->write(frame);
    };
    result.frames = read_parts(item.split->files(), add, stop);
    if (result.frames == 0) throw Error(ErrorKind::input, "contains no frames", item.path);
    whole->close();
    add_frames(result.frames);
    return result;
}

int run_detect_archive(const DetectArguments& arguments, const PipelineSettings& settings,
                       const CommonOptions& common) {
    const OutputOptions& output = arguments.output;
    std::vector<std::string_view> given = output.given();
    if (!arguments.clocks.telemetry.empty()) given.push_back("telemetry");
    const Setting out{"out"};
    for (const std::string_view name : given) {
        const bool events = name == "events";
        if (!events && name != "per_minute") {
            throw Error(ErrorKind::usage, {"cannot be combined with %1, which writes one result per file", out},
                        Setting{name}, "join the results with throng merge");
        }
        throw Error(ErrorKind::usage, {"names one file, but %1 writes one per input", out}, Setting{name},
                    {"use %1, which writes NAME%2 beside each result; throng merge %3 joins them",
                     Setting{"count", "FILE.toml"}, std::string(events ? kEventsExtension : kPerMinuteExtension),
                     Setting{name, events ? "OUT.jsonl" : "OUT.csv"}});
    }
    check_outputs(output);
    if (arguments.archive.segment > 0 && arguments.source.frames > 0) {
        throw Error(ErrorKind::usage, {"cannot be combined with %1", Setting{"segment"}}, Setting{"frames"});
    }
    if (output.blur) throw Error(ErrorKind::usage, {"has no effect with %1", out}, Setting{"blur"});

    const InterruptGuard interrupts;
    logger().info("detector {}", describe_detector(settings.detector.kind, model_name(settings.detector)));
    const ArchiveWorkers workers(common, settings.detector, arguments.archive);
    ArchiveWork work;
    DetectExtras extras{output.track, {}};
    nlohmann::json contents = nlohmann::json::object();
    if (!output.count.empty()) {
        const std::string text = read_count_plan(output.count, InterruptGuard::token());  // once: it may be a pipe
        extras.count = parse_count_plan(text, output.count);
        contents["count"] = sha256_of_text(text);
    }
    work.settings = archive_settings(*arguments.archive.command, settings.detector, &contents);
    work.outputs_of = [counts = extras.count.has_value()](const WorkItem& item) {
        std::vector<std::string> outputs{item.name + std::string(kLinesExtension)};
        for (const std::string_view extension : {kEventsExtension, kPerMinuteExtension}) {
            if (counts) outputs.push_back(item.name + std::string(extension));
        }
        return outputs;
    };
    work.files.workers = [&](std::size_t inputs) { return workers.choose(inputs, arguments.streams); };
    work.files.make_worker = [&](int worker, int count) {
        return DetectWorker::make(workers, worker, count, settings, arguments.source, extras);
    };
    work.parts = work.files;
    return run_archive_command(arguments.sources, arguments.archive, work, common);
}

}  // namespace throng
