// throng experiments: reproduces tables and figures of the papers on this machine.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/lab/experiments/bench.h"
#include "app/lab/experiments/report.h"
#include "app/options/clock_options.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/secrets.h"

namespace throng {
namespace {

struct ExperimentsArguments {
    std::vector<std::string> names;
    ExperimentOptions options;
    ClockRunOptions clocks;
};

int list_experiments() {
    TextTable table({"name", "title", "reproduces"});
    for (const Experiment& experiment : experiments())
        table.add({std::string(experiment.name), std::string(experiment.title), std::string(experiment.source)});
    standard_output::print("{}\nthrong experiments run NAME… | run all   --out DIR\n", table.text());
    return 0;
}

std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
    std::vector<const Experiment*> all;
    for (const std::string& name : names) {
        if (name == "all") {
            all.clear();
            for (const Experiment& experiment : experiments()) all.push_back(&experiment);
            return all;
        }
        all.push_back(&find_experiment(name));
    }
    return all;
}

std::filesystem::path make_folder(const std::string& out) {
    std::error_code error;
    std::filesystem::create_directories(out, error);
    if (error)
        throw Error(ErrorKind::input, "cannot create the folder: " + error.message(), out,
                    {"choose another folder with %1", Setting{"out"}});
    return out;
}

void print_part(const ReportPart& part) {
    standard_output::print(
        "{:<10} {}\n", part.experiment->name,
        part.failure.empty() ? fmt::format("{:.1f} s", part.result.seconds) : "not measured: " + part.failure);
    for (const std::string& line : part.result.findings) standard_output::print("  {}\n", line);
    for (const std::string& line : part.result.missing) standard_output::print("  not measured: {}\n", line);
    standard_output::flush();
}

RunFiles run_files(const ExperimentsArguments& arguments, const CommonOptions& common) {
    RunFiles files(common);
    if (!arguments.options.source.empty()) files.add_source(arguments.options.source);
    std::error_code failure;  // ignored: the experiment that reads the folder reports it
    for (std::filesystem::directory_iterator it(arguments.options.photos, failure), end; !failure && it != end;
         it.increment(failure)) {
        files.add_input("the input", it->path().string());
    }
    add_clock_files(files, arguments.clocks);
    return files;
}

int run(const ExperimentsArguments& arguments, const CommonOptions& common) {
    const std::vector<const Experiment*> requested = chosen(arguments.names);
    const InterruptGuard interrupts;
    ExperimentOptions options = arguments.options;
    options.clocks = clock_options(arguments.clocks, common);
    const RunFiles files = run_files(arguments, common);
    const std::filesystem::path folder = make_folder(options.out);
    ClockRun clocks(ClockRunOptions{arguments.clocks.telemetry, "", "", arguments.clocks.root}, common);
    clocks.start_telemetry();

    Report report;
    std::unique_ptr<Progress> progress;
    std::uint64_t steps = 0;
    ExperimentBench bench(common, options, [&](const std::string& what) {
        if (progress) progress->update(++steps, what);
    });
    if (!bench.clocks().recovered().empty()) logger().info("{}", bench.clocks().recovered());
    for (const Experiment* experiment : requested) {
        steps = 0;
        progress = std::make_unique<Progress>(common, std::string(experiment->name), std::nullopt);
        ReportPart part;
        part.experiment = experiment;
        const auto start = std::chrono::steady_clock::now();
        try {
            experiment->run(bench, part.result);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::interrupted) throw;
            part.failure = mask_credentials(error.what());
        }
        part.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        progress.reset();
        write_tables(folder, part, files);
        if (!common.quiet) print_part(part);
        report.parts.push_back(std::move(part));
        // Rewritten after every experiment, so that an interrupted run leaves all its results.
        report.machine = describe_machine(bench);
        write_results(folder, report, files);
    }
    try {
        draw_report(folder, files);
        if (!common.quiet) standard_output::print("{}\n", (folder / "report.html").string());
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) throw;
        logger().warn("no plots and no report: {}", error.what());
        if (!common.quiet) standard_output::print("{}\n", (folder / "results.json").string());
    }
    return 0;
}

}  // namespace

void add_experiments_command(CLI::App& program, CommandContext& context) {
    auto arguments = std::make_shared<ExperimentsArguments>();
    CLI::App& command =
        add_command(program, "experiments", "Reproduce tables and figures of the papers on this machine");
    const auto run_list = [&context] { context.run = list_experiments; };
    set_default_action(command, run_list);
    set_action(add_command(command, "list", "List the experiments (default)"), run_list);

    CLI::App& running = add_command(command, "run", "Run experiments and write their data, plots and an HTML report");
    add_value(running, "Options", "NAME", arguments->names, "TEXT", "Names of experiments, or all").required();
    add_value(running, "Options", "--out", arguments->options.out, "DIR",
              "Folder for report.html, results.json, tables and plots");
    add_value(running, "Options", "--photos", arguments->options.photos, "DIR",
              "Folder of annotated photographs with truth*.txt or truth*.jsonl, for table7");
    add_value(running, "Options", "--source", arguments->options.source, "SOURCE",
              "Crowd video to use instead of the drawn one, for fig12");
    add_flag(
        running, "Options", "--no-clocks", [arguments](bool on) { arguments->options.change_clocks = !on; },
        "Do not change the board's clocks; vary the number of multiprocessors instead");
    add_value(running, "Options", "--budget", arguments->options.budget_ms, "MS",
              "Milliseconds to repeat each measurement", finite_range(1, 60000));
    add_value(running, "Options", "--telemetry", arguments->clocks.telemetry, "FILE",
              "Write clocks, loads and power as CSV, once per second");
    add_value(running, "Options", "--profiles", arguments->clocks.profiles, "FILE",
              "File of clock profiles to change or add");
    add_value(running, "Options", "--root", arguments->clocks.root, "DIR",
              "Prefix of every system path (for tests and dry runs)");
    set_run(running, context, [arguments, &context] { return run(*arguments, context.common); });
    set_footer(command,
               "Examples:\n"
               "  throng experiments run all --out report\n"
               "  throng experiments run fig8 cores --backend cuda --out report\n"
               "Each experiment restores the clocks that it changed.");
}

}  // namespace throng
