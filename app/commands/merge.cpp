// throng merge DIR...: joins the results of the shards of an archive. --relink: links tracks again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "app/commands/anonymize_report.h"
#include "app/commands/anonymize_run.h"
#include "app/commands/merge_relink.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/report.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "core/archive/merge.h"
#include "core/base/error.h"
#include "core/base/output_file.h"

namespace throng {
namespace {

constexpr std::size_t kMaxShown = 50;  // of tables and lists on the terminal

struct MergeArguments {
    std::vector<std::string> folders;
    std::string json;
    std::string csv;
    std::string events;
    std::string per_minute;
    std::string failures;
    std::string report;
    std::string relink;
};

TextTable failure_table(const std::vector<ManifestEntry>& failures, std::size_t most) {
    TextTable table({"input", "status", "frames", "error"});
    for (std::size_t i = 0; i < std::min(most, failures.size()); ++i) {
        const ManifestEntry& entry = failures[i];
        table.add({entry.input, entry.status == InputStatus::failed ? "failed" : "incomplete",
                   std::to_string(entry.frames), entry.error});
    }
    return table;
}

void print_totals(const MergeTotals& totals) {
    std::string backends;
    for (const auto& [name, inputs] : totals.backends) backends += fmt::format(", {} on {}", inputs, name);
    standard_output::print("{} {}, {} incomplete, {} failed{}; {} frames, {} faces, {:.1f} MB, {:.1f} s of work\n",
                           totals.inputs, totals.inputs == 1 ? "input" : "inputs", totals.incomplete, totals.failed,
                           backends, totals.frames, totals.faces, static_cast<double>(totals.bytes) / 1e6,
                           totals.seconds);
}

// Works on a file instead of an archive.
int relink(const MergeArguments& arguments, const CommonOptions& common) {
    const Message problem("cannot be combined with %1", Setting{"relink"});
    const Message advice("use %1", Setting{"json"});
    if (!arguments.folders.empty()) throw Error(ErrorKind::usage, problem, "DIR", advice);
    reject_given({{"csv", !arguments.csv.empty()},
                  {"events", !arguments.events.empty()},
                  {"per_minute", !arguments.per_minute.empty()},
                  {"failures", !arguments.failures.empty()},
                  {"report", !arguments.report.empty()}},
                 problem, advice);
    return run_merge_relink(arguments.relink, arguments.json.empty() ? "-" : arguments.json, common);
}

int run(const MergeArguments& arguments, const CommonOptions& common) {
    if (!arguments.relink.empty()) return relink(arguments, common);
    if (arguments.folders.empty()) {
        throw Error(ErrorKind::usage, "DIR is required", "throng merge",
                    {"name the folders that were given as %1", Setting{"out"}});
    }
    const InterruptGuard interrupts;
    const ArchiveMerge merge({arguments.folders.begin(), arguments.folders.end()});
    if (!arguments.report.empty()) check_report_base(arguments.report);
    RunFiles files(common);
    for (const std::filesystem::path& file : merge.files()) files.add_input("the result", file.string());
    files.add_output("json", arguments.json);
    files.add_output("csv", arguments.csv);
    files.add_output("events", arguments.events);
    files.add_output("per_minute", arguments.per_minute);
    files.add_output("failures", arguments.failures);
    for (const char* extension : kReportFileExtensions) {
        if (!arguments.report.empty()) files.add_output("report", arguments.report + extension);
    }
    const bool is_hidden = merge.command() == "anonymize";
    reject_given(
        {{"json", is_hidden && !arguments.json.empty()},
         {"csv", is_hidden && !arguments.csv.empty()},
         {"report", !is_hidden && !arguments.report.empty()}},
        "does not apply to results of throng " + merge.command(),
        is_hidden ? Message("use %1", Setting{"report"}) : Message("use %1 or %2", Setting{"json"}, Setting{"csv"}));
    reject_given({{"events", !arguments.events.empty() && !merge.has(kEventsExtension)},
                  {"per_minute", !arguments.per_minute.empty() && !merge.has(kPerMinuteExtension)}},
                 "needs counts, which these results do not have",
                 {"process the inputs with throng detect %1 %2", Setting{"out", "DIR"}, Setting{"count", "FILE.toml"}});

    const std::vector<std::string> problems = merge.problems(InterruptGuard::token());
    if (!problems.empty()) {
        for (std::size_t i = 0; i < std::min(kMaxShown, problems.size()); ++i) print_error(problems[i]);
        if (problems.size() > kMaxShown) print_error(fmt::format("and {} more", problems.size() - kMaxShown));
        throw Error(ErrorKind::input, "the results cannot be merged", arguments.folders.front(),
                    {"process what is missing with %1 and the same settings", Setting{"resume"}});
    }
    const auto write = [&](const std::string& path, auto member) {
        if (path.empty()) return;
        OutputFile file(path);
        (merge.*member)(file, InterruptGuard::token());
        file.close();
    };
    write(arguments.json, &ArchiveMerge::write_json);
    write(arguments.csv, &ArchiveMerge::write_csv);
    write(arguments.events, &ArchiveMerge::write_events);
    write(arguments.per_minute, &ArchiveMerge::write_per_minute);
    if (!arguments.report.empty()) write_joined_report(arguments.report, merge, false);
    const std::vector<ManifestEntry> failures = merge.failures();
    if (!arguments.failures.empty()) {
        write_file(arguments.failures, failure_table(failures, failures.size()).csv(), InterruptGuard::token());
    }
    const bool data_on_stdout = arguments.json == "-" || arguments.csv == "-" || arguments.events == "-" ||
                                arguments.per_minute == "-" || arguments.failures == "-";
    if (!common.quiet && !data_on_stdout) {
        if (!failures.empty()) standard_output::write(failure_table(failures, kMaxShown).text() + "\n");
        if (failures.size() > kMaxShown) {
            standard_output::print("and {} more; {} lists all\n\n", failures.size() - kMaxShown,
                                   Message(Setting{"failures", "FILE.csv"}).text());
        }
        print_totals(merge.totals());
        if (!arguments.report.empty()) {
            standard_output::print("report  {}.html, {}.json\n", arguments.report, arguments.report);
        }
    }
    return failures.empty() ? 0 : exit_status(ErrorKind::input);
}

}  // namespace

void add_merge_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(program, "merge", "Check the results of all shards of an archive, and join them");
    auto arguments = std::make_shared<MergeArguments>();
    add_value(command, "Options", "DIR", arguments->folders, "", "Folders that were given as --out of the shards");
    add_value(command, "Options", "--json", arguments->json, "OUT.jsonl",
              "Write all detections as JSON lines; - for standard output");
    add_value(command, "Options", "--csv", arguments->csv, "OUT.csv",
              "Write all detections as CSV, one per line; - for standard output");
    add_value(command, "Options", "--events", arguments->events, "OUT.jsonl",
              "Join the events of --count as JSON lines; - for standard output");
    add_value(command, "Options", "--per-minute", arguments->per_minute, "OUT.csv",
              "Join the counts per minute of --count as CSV; - for standard output");
    add_value(command, "Options", "--failures", arguments->failures, "OUT.csv",
              "Write the failed and incomplete inputs as CSV");
    add_value(command, "Options", "--report", arguments->report, "BASE",
              "Join the reports of throng anonymize as BASE.html and BASE.json");
    add_value(command, "Options", "--relink", arguments->relink, "TRACKS.jsonl",
              "Link the tracks of throng detect --track --json again, with fewer identity switches");
    set_footer(
        command,
        "Inputs that are missing or were processed twice, and results of different settings, are errors.\n"
        "--relink compares the motion before and after each occlusion, as detect does for files, but not for streams "
        "and\n"
        "standard output. It writes the same lines with other tracks to --json or standard output. Tracks get new "
        "ids.\n"
        "Tracklets of fewer than 6 detections that belong to no track with certainty are left out.\n"
        "Examples:\n"
        "  throng merge results --json faces.jsonl\n"
        "  throng merge hidden --report hidden/report\n"
        "  throng merge node1/results node2/results --csv faces.csv --failures failures.csv\n"
        "  throng merge --relink found.jsonl --json relinked.jsonl");
    set_run(command, context, [&context, arguments] { return run(*arguments, context.common); });
}

}  // namespace throng
