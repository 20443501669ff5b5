// throng detect SOURCE...: headless detection with files as output and a table of stage timings at the end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/command.h"
#include "app/options/backend.h"
#include "app/options/clock_options.h"
#include "app/options/detector_options.h"
#include "app/options/interrupt.h"
#include "app/options/nms_options.h"
#include "app/options/output_options.h"
#include "app/options/progress.h"
#include "app/options/run_summary.h"
#include "app/options/source_options.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/pipeline/pipeline.h"

namespace throng {
namespace {

struct DetectArguments {
    std::vector<std::string> sources;
    SourceArguments source;
    DetectorOptions detector;
    NmsOptions nms = nms_options_after_detector(BoxesFor::data);
    OutputOptions output;
    ClockRunOptions clocks;
};

using Clock = std::chrono::steady_clock;

class DetectRun {
public:
    DetectRun(DetectArguments arguments, const CommonOptions& common)
        : arguments_(std::move(arguments)), common_(common) {
        NmsOptions& nms = arguments_.nms;
        settle_detector_options(arguments_.detector);
        settle_nms_options(nms, arguments_.detector.kind);
        settings_.detector = arguments_.detector;
        settings_.nms = nms.params;
        settings_.keep_raw = arguments_.output.raw;
        if (nms.dmax > 0) {
            settings_.capacity = nms.dmax;
            settings_.capacity_limit = std::max(settings_.capacity_limit, nms.dmax);
        }
        check_settings(settings_);
        check_outputs(arguments_.output, arguments_.sources);
    }

    int run();

private:
    bool run_source(std::size_t number);
    void report(const Error& error);
    void follow(Pipeline& pipeline, std::size_t number);

    DetectArguments arguments_;
    const CommonOptions& common_;
    PipelineSettings settings_;
    BackendChoice backend_;
    OutputFiles outputs_;
    std::optional<ClockRun> clocks_;
    std::shared_ptr<RunSummary> summary_ = std::make_shared<RunSummary>();
    int status_ = 0;  // of the first failure
};

int DetectRun::run() {
    const InterruptGuard interrupts;
    backend_ = make_backend(common_, &arguments_.detector);
    spdlog::debug("backend {}, {}", backend_.why, backend_.backend->description());
    outputs_ = OutputFiles(arguments_.output, arguments_.sources.size());

    clocks_.emplace(arguments_.clocks, common_);

    const Clock::time_point start = Clock::now();
    bool go_on = true;
    for (std::size_t i = 0; i < arguments_.sources.size() && go_on && !InterruptGuard::requested(); ++i) {
        go_on = run_source(i);
    }
    try {
        outputs_.close();
    } catch (const Error& error) {
        report(error);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!common_.quiet && summary_->frames() > 0) {
        std::FILE* out = arguments_.output.json == "-" ? stderr : stdout;
        std::fprintf(out, "%sbackend %s\n", summary_->text(seconds).c_str(), backend_.why.c_str());
    }
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : status_;
}

void DetectRun::report(const Error& error) {
    std::fprintf(stderr, "throng: %s\n", error.what());
    if (status_ == 0) status_ = exit_status(error.kind());
}

// False when the next source would fail in the same way.
bool DetectRun::run_source(std::size_t number) {
    const std::string& spec = arguments_.sources[number];
    std::unique_ptr<VideoSource> source;
    try {
        SourceOptions options = arguments_.source.source;
        options.device = common_.device;
        options.prefer_device_frames = backend_.backend->name() != "cpu";
        source = open_source(spec, options);
    } catch (const Error& error) {
        report(error);
        return true;
    }
    PipelineOptions options;
    options.max_frames = arguments_.source.frames;
    if (common_.backend == "auto" && backend_.backend->name() != "cpu") {
        options.fallback = [this] {
            CommonOptions cpu = common_;
            cpu.backend = "cpu";
            return make_backend(cpu, &arguments_.detector).backend;
        };
    }
    Pipeline pipeline(std::move(source), backend_.backend, settings_, options);
    try {
        for (auto& sink : outputs_.sinks_for(number, pipeline.source_info())) pipeline.add_sink(sink);
    } catch (const Error& error) {
        report(error);
        return false;
    }
    pipeline.add_sink(summary_);
    if (auto sink = clocks_->sink()) pipeline.add_sink(std::move(sink));
    pipeline.start();
    follow(pipeline, number);
    pipeline.stop();
    const PipelineCounters counters = pipeline.counters();
    summary_->add(counters);
    if (const std::optional<Error> failure = pipeline.failure()) {
        report(*failure);
        return failure->kind() == ErrorKind::input && !outputs_.failed();
    }
    if (counters.decoded == 0 && !InterruptGuard::requested()) {
        report(Error(ErrorKind::input, "there is no picture in it", spec));
    }
    return true;
}

void DetectRun::follow(Pipeline& pipeline, std::size_t number) {
    const SourceInfo info = pipeline.source_info();
    std::string label = std::filesystem::path(info.name).filename().string();
    if (label.empty()) label = info.name;
    if (arguments_.sources.size() > 1) label = fmt::format("{}/{} {}", number + 1, arguments_.sources.size(), label);

    std::optional<std::uint64_t> total;
    if (info.frame_count && *info.frame_count > 0) total = static_cast<std::uint64_t>(*info.frame_count);
    if (arguments_.source.frames > 0) {
        const auto limit = static_cast<std::uint64_t>(arguments_.source.frames);
        total = total ? std::min(*total, limit) : limit;
    }
    Progress progress(common_, label, total);
    std::string told;
    while (!pipeline.wait_for(std::chrono::milliseconds(50))) {
        if (InterruptGuard::requested()) return;
        const std::shared_ptr<const FrameResult> latest = pipeline.latest();
        std::string notice = pipeline.notice();
        if (notice != told && info.live && !notice.empty()) {
            progress.finish();
            spdlog::warn("{}: {}", info.name, notice);
        }
        told = std::move(notice);
        progress.update(pipeline.counters().detected,
                        latest ? fmt::format("{} faces", latest->kept.detections.size()) : std::string());
    }
}

}  // namespace

void add_detect_command(CLI::App& program, CommandContext& context) {
    CLI::App* command =
        program.add_subcommand("detect", "Find faces without a window; ends with a table of stage timings");
    auto arguments = std::make_shared<DetectArguments>();
    command->add_option("SOURCE", arguments->sources, source_forms())->required()->type_name("");
    add_source_options(*command, arguments->source);
    add_detector_options(*command, arguments->detector);
    add_nms_options(*command, arguments->nms);
    add_output_options(*command, arguments->output);
    add_clock_options(*command, arguments->clocks);
    command->footer(
        "Examples:\n"
        "  throng detect crowd.mp4 --json faces.jsonl --video annotated.mp4\n"
        "  throng detect photos/ --images out/ --blur\n"
        "  throng detect camera:0 --frames 300 --min-size 60 --json - | jq .raw\n"
        "  throng detect crowd:faces=200,size=1920x1080 --frames 100");
    command->callback([&context, arguments] {
        context.run = [&context, arguments] { return DetectRun(*arguments, context.common).run(); };
    });
}

}  // namespace throng
