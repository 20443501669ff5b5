#include "app/commands/detect_archive.h"

#include <chrono>
#include <string>
#include <utility>

#include "app/commands/archive_workers.h"
#include "app/commands/detect_run.h"
#include "app/options/backend.h"
#include "app/options/interrupt.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/stopwatch.h"
#include "core/sinks/json_sink.h"
#include "core/video/source.h"

namespace throng {
namespace {

constexpr std::size_t kLinesPerWrite = std::size_t{1} << 16U;  // bytes per write

}  // namespace

DetectWorker::DetectWorker(const CommonOptions& common, const PipelineSettings& settings, const SourceArguments& source,
                           std::shared_ptr<MemoryBudget> budget, std::uint64_t kept_bytes)
    : common_(common), settings_(settings), source_(source), budget_(std::move(budget)), kept_bytes_(kept_bytes) {
    make_processor();
}

void DetectWorker::make_processor() {
    processor_.reset();
    backend_ = make_backend(common_, &settings_.detector).backend;
    processor_ = std::make_unique<FrameProcessor>(backend_, settings_);
}

InputResult DetectWorker::process(const WorkItem& item, const std::vector<std::string>& outputs,
                                  const std::function<void(std::uint64_t)>& add_frames, const std::stop_token& stop) {
    if (!processor_) make_processor();
    try {
        return detect(item, outputs.front(), add_frames, stop);
    } catch (const Error& error) {
        static_cast<void>(processor_->take_unfinished());
        const bool of_device = error.kind() == ErrorKind::internal || error.kind() == ErrorKind::unavailable;
        if (!of_device || common_.backend != "auto" || backend_->name() == "cpu") throw;
        spdlog::warn("{}; continuing on the CPU", error.what());
    } catch (...) {
        processor_.reset();  // may have frames of this file in flight
        throw;
    }
    common_.backend = "cpu";
    make_processor();
    return detect(item, outputs.front(), add_frames, stop);
}

InputResult DetectWorker::detect(const WorkItem& item, const std::string& output,
                                 const std::function<void(std::uint64_t)>& add_frames, const std::stop_token& stop) {
    SourceOptions options = source_.source;
    options.device = common_.device;
    options.prefer_device_frames = backend_->name() != "cpu";
    const std::uint64_t bytes = memory_of(item);
    const MemoryBudget::Share memory = budget_->acquire(bytes, stop);
    const std::unique_ptr<VideoSource> source = open_source(file_spec(item), options, stop);

    processor_->restart_tracks();  // ids must not depend on the files before
    const JsonFields fields{settings_.keep_raw, settings_.tracking.has_value()};
    InputResult result;
    result.backend = backend_->name();
    OutputFile file(output);
    std::string lines;
    const auto collect = [&] {
        const auto outcome = processor_->collect(true);
        result.faces += outcome.result->kept.detections.size();
        ++result.frames;
        add_frames(1);
        lines += json_line(*outcome.result, fields);
        lines += '\n';
        if (lines.size() < kLinesPerWrite) return;
        file.write(lines, stop);
        lines.clear();
    };
    const auto limit = static_cast<std::uint64_t>(source_.frames);
    for (std::uint64_t read = 0; limit == 0 || read < limit;) {
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", item.path);
        DecodedFrame decoded;
        const auto start = std::chrono::steady_clock::now();
        const ReadStatus status = source->read(decoded.frame, stop);
        if (status == ReadStatus::end) break;
        if (status == ReadStatus::timeout) continue;
        ++read;
        decoded.decode_ms = source->decode_ms().value_or(milliseconds_since(start));
        decoded.source = item.name;
        if (!processor_->has_free_slot()) collect();
        processor_->submit(std::move(decoded));
    }
    while (processor_->in_flight() > 0) collect();
    if (result.frames == 0) throw Error(ErrorKind::input, "contains no frames", item.path);
    file.write(lines, stop);
    file.close();
    result.incomplete = source->incomplete();
    // The detector keeps buffers for its largest image.
    if (bytes > kept_bytes_) processor_.reset();
    return result;
}

int run_detect_archive(const DetectArguments& arguments, const PipelineSettings& settings,
                       const CommonOptions& common) {
    const OutputOptions& output = arguments.output;
    for (const auto& [option, value] : {std::pair{"--json", output.json},
                                        {"--video", output.video},
                                        {"--images", output.images},
                                        {"--summary", output.summary},
                                        {"--count", output.count},
                                        {"--events", output.events},
                                        {"--per-minute", output.per_minute},
                                        {"--trace", output.trace},
                                        {"--telemetry", arguments.clocks.telemetry}}) {
        if (value.empty()) continue;
        throw Error(ErrorKind::usage, "cannot be combined with --out, which writes one result per file", option,
                    "join the results with throng merge");
    }
    if (output.blur) throw Error(ErrorKind::usage, "has no effect with --out", "--blur");

    const InterruptGuard interrupts;
    ArchiveWorkers workers(common, settings.detector, arguments.archive);
    PipelineSettings shared = settings;
    ArchiveWork work;
    work.settings = archive_settings(*arguments.archive.command, settings.detector);
    work.outputs_of = [](const WorkItem& item) { return std::vector<std::string>{item.name + ".jsonl"}; };
    work.workers = [&](std::size_t inputs) { return workers.choose(inputs, arguments.streams, shared.detector); };
    work.make_worker = [&](int number) -> ProcessInput {
        auto worker = std::make_shared<DetectWorker>(workers.common_of(number), shared, arguments.source,
                                                     workers.budget(), workers.bytes_per_worker());
        return [worker](const WorkItem& item, const std::vector<std::string>& outputs,
                        const std::function<void(std::uint64_t)>& add_frames,
                        const std::stop_token& stop) { return worker->process(item, outputs, add_frames, stop); };
    };
    return run_archive_command(arguments.sources, arguments.archive, work, common);
}

}  // namespace throng
