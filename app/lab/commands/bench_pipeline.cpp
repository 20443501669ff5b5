// throng bench pipeline: measures decoding, detection and both on a source, at full speed and without output.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/lab/measure/bench_run.h"
#include "app/lab/measure/pipeline_measurement.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/detection_options.h"
#include "app/options/run_summary.h"
#include "app/options/source_options.h"
#include "core/base/secrets.h"

namespace throng {
namespace {

struct PipelineBenchArguments {
    std::string source;
    SourceArguments input;
    DetectionOptions detection;
    std::vector<int> streams = {1, 8};
    std::vector<std::string> parts = {"decode", "detect", "both"};
    int shared_permits = kSharedPermits;
    BenchOptions bench;
};

int bench_pipeline(PipelineBenchArguments arguments, const CommonOptions& common) {
    PipelineBench bench;
    bench.source = arguments.source;
    bench.settings = pipeline_settings(arguments.detection.params());
    check_settings(bench.settings);
    BenchRun run(common, arguments.bench, "bench pipeline");
    run.files().add_source(arguments.source);
    run.files().add_model(bench.settings.detector);
    run.start(arguments.streams.size() * arguments.parts.size());
    const BackendChoice backend = make_backend(common, &bench.settings.detector);
    const std::string detector = describe_detector(bench.settings.detector.kind, model_name(bench.settings.detector));

    bench.source_options = arguments.input.source;
    set_device(bench.source_options, common.device, backend.backend->kind() != BackendKind::cpu);
    if (arguments.input.frames > 0) bench.frames = arguments.input.frames;
    bench.shared_permits = arguments.shared_permits;
    bench.make_backend = [named = common, kind = backend.backend->kind()]() mutable {
        named.backend = kind;
        return make_backend(named).backend;
    };
    bench.interrupted = InterruptGuard::requested;

    ResultList results;
    std::vector<StageSummary> stages;  // of the first row that has stages
    run.for_each(arguments.streams, [&](int streams) {
        double decoding = 0;
        run.for_each(arguments.parts, [&](const std::string& name) {
            const PipelinePart part = choice_of(kPipelineParts, name).value();
            run.step(fmt::format("{} x {}", name, streams));
            bench.progress = [&](std::uint64_t frames) {
                run.note(fmt::format("{} x {}, {} frames", name, streams, frames));
            };
            std::vector<StageSummary> row_stages;
            PipelineRow row = measure_pipeline(bench, part, streams, row_stages);
            if (part == PipelinePart::decode) decoding = row.fps;
            if (decoding > 0 && part == PipelinePart::both) row.of_decoding = row.fps / decoding;
            if (stages.empty()) stages = std::move(row_stages);
            add_pipeline_row(results, row);
        });
    });
    return run.finish(
        results,
        {{"source", mask_credentials(arguments.source)},
         {"detector", detector},
         {"backend", backend.backend->name()},
         {"device", backend.backend->description()},
         {"stages", stage_json(stages)}},
        backend.backend->description(),
        fmt::format("\n{}detector {}\nbackend {}\n", stage_table(stages).text(), detector, backend.why.text()));
}

}  // namespace

void add_bench_pipeline_command(CLI::App& bench, CommandContext& context) {
    CLI::App& command =
        add_command(bench, "pipeline", "Throughput of decoding, of detection and of both on one source");
    auto arguments = std::make_shared<PipelineBenchArguments>();
    add_value(command, "Options", "SOURCE", arguments->source, "", source_forms()).required();
    add_source_options(command, arguments->input);
    add_settings(command, arguments->detection, detector_settings());
    add_settings(command, arguments->detection, nms_settings());
    add_list(command, "Measurement", "--streams", arguments->streams, "N,...",
             "Numbers of concurrent streams of the source, one run each", whole_range(1, 256));
    add_list(command, "Measurement", "--parts", arguments->parts, "decode|detect|both",
             "Decoding alone, detection alone, both", one_of(words_of(kPipelineParts)));
    add_value(command, "Measurement", "--spare", arguments->shared_permits, "N",
              "Additional frames in flight beyond one per stream, shared by all streams", whole_range(0, 4096));
    add_result_options(command, arguments->bench, "Measurement");
    set_footer(
        command,
        "Streams loop over their file until one has delivered --frames frames (default: 600).\n"
        "Example:\n  throng bench pipeline crowd.mp4 --min-size 50 --max-size 200 --scale-factor 1.25 --frames 2000");
    set_run(command, context, [&context, arguments] { return bench_pipeline(*arguments, context.common); });
}

}  // namespace throng
