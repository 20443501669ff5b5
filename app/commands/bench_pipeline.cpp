// throng bench pipeline: measures decoding, detection and both on a source, at full speed and without output.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/measure/pipeline_measurement.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/detector_options.h"
#include "app/options/interrupt.h"
#include "app/options/nms_options.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "app/options/source_options.h"
#include "app/options/standard_output.h"
#include "app/options/values.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/secrets.h"

namespace throng {
namespace {

const std::map<std::string, PipelinePart> kParts{
    {"decode", PipelinePart::decode}, {"detect", PipelinePart::detect}, {"both", PipelinePart::both}};

struct PipelineBenchArguments {
    std::string source;
    SourceArguments input;
    DetectorOptions detector;
    NmsOptions nms = nms_options_after_detector(BoxesFor::data);
    std::vector<int> streams = {1, 8};
    std::vector<std::string> parts = {"decode", "detect", "both"};
    int shared_permits = kSharedPermits;
    std::string json;  // --json FILE
    std::string csv;   // --csv FILE
};

TextTable stage_table(const std::vector<StageSummary>& stages) {
    TextTable table({"stage [ms]", "last", "mean", "p50", "p99", "max"});
    const auto number = [](double ms) { return fmt::format("{:.3f}", ms); };
    for (const auto& [name, ms] : stages) {
        table.add({name, number(ms.last), number(ms.mean), number(ms.p50), number(ms.p99), number(ms.max)});
    }
    return table;
}

nlohmann::ordered_json stage_json(const std::vector<StageSummary>& stages) {
    auto json = nlohmann::ordered_json::object();
    for (const auto& [name, ms] : stages) {
        json[name] = {{"mean", ms.mean}, {"p50", ms.p50}, {"p99", ms.p99}, {"max", ms.max}, {"count", ms.count}};
    }
    return json;
}

int bench_pipeline(PipelineBenchArguments arguments, const CommonOptions& common) {
    finalize_detector_options(arguments.detector);
    finalize_nms_options(arguments.nms, arguments.detector.kind);
    PipelineBench bench;
    bench.source = arguments.source;
    bench.settings.detector = arguments.detector;
    bench.settings.nms = arguments.nms.params;
    if (arguments.nms.dmax > 0) bench.settings.capacity = arguments.nms.dmax;
    check_settings(bench.settings);
    RunFiles files(common);
    files.add_source(arguments.source);
    files.add_model(arguments.detector);
    files.add_output("--json", arguments.json);
    files.add_output("--csv", arguments.csv);
    const BackendChoice backend = make_backend(common, &arguments.detector);

    bench.source_options = arguments.input.source;
    bench.source_options.device = common.device;
    bench.source_options.prefer_device_frames = backend.backend->name() != "cpu";
    if (arguments.input.frames > 0) bench.frames = arguments.input.frames;
    bench.shared_permits = arguments.shared_permits;
    bench.make_backend = [named = common, name = backend.backend->name()]() mutable {
        named.backend = name;
        return make_backend(named).backend;
    };
    const InterruptGuard interrupts;
    bench.interrupted = InterruptGuard::requested;

    std::vector<PipelineRow> rows;
    std::vector<StageSummary> stages;  // of the first row that has stages
    for (const int streams : arguments.streams) {
        double decoding = 0;
        for (const std::string& name : arguments.parts) {
            const PipelinePart part = kParts.at(name);
            if (InterruptGuard::requested()) break;
            Progress progress(common, fmt::format("{} x {}", part_name(part), streams), std::nullopt);
            bench.progress = [&progress](std::uint64_t frames) { progress.update(frames); };
            std::vector<StageSummary> row_stages;
            PipelineRow row = measure_pipeline(bench, part, streams, row_stages);
            if (part == PipelinePart::decode) decoding = row.fps;
            if (decoding > 0 && part == PipelinePart::both) row.of_decoding = row.fps / decoding;
            if (stages.empty()) stages = std::move(row_stages);
            rows.push_back(row);
        }
    }
    const TextTable table = pipeline_table(rows);
    if (!arguments.json.empty()) {
        const nlohmann::ordered_json json{{"source", mask_credentials(arguments.source)},
                                          {"backend", backend.backend->name()},
                                          {"device", backend.backend->description()},
                                          {"rows", pipeline_json(rows)},
                                          {"stages", stage_json(stages)}};
        write_file(arguments.json, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
    if (!arguments.csv.empty()) write_file(arguments.csv, table.csv());
    if (!common.quiet && arguments.json != "-" && arguments.csv != "-") {
        standard_output::print("{}\n{}backend {}\n", table.text(), stage_table(stages).text(), backend.why);
    }
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : 0;
}

}  // namespace

void add_bench_pipeline_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command =
        bench.add_subcommand("pipeline", "Throughput of decoding, of detection and of both on one source");
    auto arguments = std::make_shared<PipelineBenchArguments>();
    command->add_option("SOURCE", arguments->source, source_forms())->required()->type_name("");
    add_source_options(*command, arguments->input);
    add_detector_options(*command, arguments->detector);
    add_nms_options(*command, arguments->nms);
    add_list(*command, "--streams", arguments->streams, "Numbers of concurrent streams of the source, one run each",
             whole_range(1, 256))
        ->type_name("N,...")
        ->group("Measurement");
    add_list(*command, "--parts", arguments->parts, "Decoding alone, detection alone, both", CLI::IsMember(kParts))
        ->type_name("decode|detect|both")
        ->group("Measurement");
    command
        ->add_option("--spare", arguments->shared_permits,
                     "Additional frames in flight beyond one per stream, shared by all streams")
        ->check(whole_range(0, 4096))
        ->type_name("N")
        ->capture_default_str()
        ->group("Measurement");
    command->add_option("--json", arguments->json, "Write the results as JSON; - for standard output")
        ->type_name("FILE")
        ->group("Measurement");
    command->add_option("--csv", arguments->csv, "Write the table as CSV; - for standard output")
        ->type_name("FILE")
        ->group("Measurement");
    command->footer(
        "Streams loop over their file until one has delivered --frames frames (default: 600).\n"
        "Example:\n  throng bench pipeline crowd.mp4 --min-size 50 --max-size 200 --scale-factor 1.25 --frames 2000");
    command->callback([&context, arguments] {
        context.run = [&context, arguments] { return bench_pipeline(*arguments, context.common); };
    });
}

}  // namespace throng
