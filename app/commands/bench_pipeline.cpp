// throng bench pipeline: a source decoded and detected as fast as it goes, with no output: frames a second and stages.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

#include "app/commands/command.h"
#include "app/options/backend.h"
#include "app/options/detector_options.h"
#include "app/options/interrupt.h"
#include "app/options/nms_options.h"
#include "app/options/progress.h"
#include "app/options/run_summary.h"
#include "app/options/source_options.h"
#include "app/options/text_file.h"
#include "core/base/error.h"
#include "core/pipeline/pipeline.h"

namespace throng {
namespace {

struct BenchArguments {
    std::string source;
    SourceArguments input;
    DetectorParams detector;
    NmsOptions nms = nms_options_for_faces(1);
    std::string json;  // --json FILE
    std::string csv;   // --csv FILE
};

int bench_pipeline(BenchArguments arguments, const CommonOptions& common) {
    PipelineSettings settings;
    settings.detector = arguments.detector;
    settle_nms_options(arguments.nms);
    settings.nms = arguments.nms.params;
    if (arguments.nms.dmax > 0) settings.capacity = arguments.nms.dmax;
    check_settings(settings);
    const BackendChoice backend = make_backend(common, &arguments.detector);

    SourceOptions source = arguments.input.source;
    source.device = common.device;
    source.prefer_device_frames = backend.backend->name() != "cpu";
    PipelineOptions options;
    options.max_frames = arguments.input.frames;

    const InterruptGuard interrupts;
    const auto start = std::chrono::steady_clock::now();
    Pipeline pipeline(open_source(arguments.source, source), backend.backend, settings, options);
    const auto summary = std::make_shared<RunSummary>();
    pipeline.add_sink(summary);
    pipeline.start();
    {
        Progress progress(common, "bench", std::nullopt);
        while (!pipeline.wait_for(std::chrono::milliseconds(50)) && !InterruptGuard::requested()) {
            progress.update(pipeline.counters().detected);
        }
    }
    pipeline.stop();
    if (const auto failure = pipeline.failure()) throw *failure;
    summary->add(pipeline.counters());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    if (!arguments.json.empty()) {
        nlohmann::ordered_json json{{"source", arguments.source}, {"backend", backend.backend->name()}};
        json.update(summary->json(seconds));
        write_text(arguments.json, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
    if (!arguments.csv.empty()) write_text(arguments.csv, summary->stages().csv());
    if (!common.quiet && arguments.json != "-" && arguments.csv != "-") {
        fmt::print("{}backend {}, {}\n", summary->text(seconds), backend.why, backend.backend->description());
    }
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : 0;
}

}  // namespace

void add_bench_pipeline_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command = bench.add_subcommand("pipeline", "Decode and detect a source as fast as it goes");
    auto arguments = std::make_shared<BenchArguments>();
    command->add_option("SOURCE", arguments->source, source_forms())->required()->type_name("");
    add_source_options(*command, arguments->input);
    add_detector_options(*command, arguments->detector);
    add_nms_options(*command, arguments->nms);
    command->add_option("--json", arguments->json, "Write the results as JSON; - for standard output")
        ->type_name("FILE")
        ->group("Output");
    command->add_option("--csv", arguments->csv, "Write the table as CSV; - for standard output")
        ->type_name("FILE")
        ->group("Output");
    command->footer(
        "Example:\n  throng bench pipeline crowd.mp4 --min-size 50 --max-size 200 --scale-factor 1.25 --frames 300");
    command->callback([&context, arguments] {
        context.run = [&context, arguments] { return bench_pipeline(*arguments, context.common); };
    });
}

}  // namespace throng
