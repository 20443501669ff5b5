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

struct MergeOutput {
    std::string_view name;
    std::string MergeArguments::*path;
    void (ArchiveMerge::*write)(OutputFile&, const std::stop_token&) const;  // null: see run
    std::string_view extension;                                              // of the outputs that it joins
    const char* type;
    const char* help;
};
constexpr MergeOutput kOutputs[] = {
    {"json", &MergeArguments::json, &ArchiveMerge::write_json, kLinesExtension, "OUT.jsonl",
     "Write all detections as JSON lines; - for standard output"},
    {"csv", &MergeArguments::csv, &ArchiveMerge::write_csv, kLinesExtension, "OUT.csv",
     "Write all detections as CSV, one per line; - for standard output"},
    {"events", &MergeArguments::events, &ArchiveMerge::write_events, kEventsExtension, "OUT.jsonl",
     "Join the events of --count as JSON lines; - for standard output"},
    {"per_minute", &MergeArguments::per_minute, &ArchiveMerge::write_per_minute, kPerMinuteExtension, "OUT.csv",
     "Join the counts per minute of --count as CSV; - for standard output"},
    {"failures", &MergeArguments::failures, nullptr, "", "OUT.csv", "Write the failed and incomplete inputs as CSV"},
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
    for (const MergeOutput& output : kOutputs) {
        reject_given({{output.name, output.name != "json" && !(arguments.*output.path).empty()}}, problem, advice);
    }
    reject_given({{"report", !arguments.report.empty()}}, problem, advice);
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
    for (const MergeOutput& output : kOutputs) files.add_output(output.name, arguments.*output.path);
    for (const char* extension : kReportFileExtensions) {
        if (!arguments.report.empty()) files.add_output("report", arguments.report + extension);
    }
    const bool is_hidden = merge.command() == "anonymize";
    const std::string other = "does not apply to results of throng " + merge.command();
    reject_given({{"report", !is_hidden && !arguments.report.empty()}}, other,
                 {"use %1 or %2", Setting{"json"}, Setting{"csv"}});
    for (const auto& [name, path, write, extension, type, help] : kOutputs) {
        if (write == nullptr || (arguments.*path).empty()) continue;
        const bool of_lines = extension == kLinesExtension;
        reject_given({{name, is_hidden && of_lines}}, other, {"use %1", Setting{"report"}});
        reject_given(
            {{name, !of_lines && !merge.has(extension)}}, "needs counts, which these results do not have",
            {"process the inputs with throng detect %1 %2", Setting{"out", "DIR"}, Setting{"count", "FILE.toml"}});
    }
    const std::vector<std::string> problems = merge.problems(InterruptGuard::token());
    if (!problems.empty()) {
        for (std::size_t i = 0; i < std::min(kMaxShown, problems.size()); ++i) print_error(problems[i]);
        if (problems.size() > kMaxShown) print_error(fmt::format("and {} more", problems.size() - kMaxShown));
        throw Error(ErrorKind::input, "the results cannot be merged", arguments.folders.front(),
                    {"process what is missing with %1 and the same settings", Setting{"resume"}});
    }
    for (const MergeOutput& output : kOutputs) {
        if (output.write == nullptr || (arguments.*output.path).empty()) continue;
        OutputFile file(arguments.*output.path);
        (merge.*output.write)(file, InterruptGuard::token());
        file.close();
    }
    if (!arguments.report.empty()) write_joined_report(arguments.report, merge, false);
    const std::vector<ManifestEntry> failures = merge.failures();
    if (!arguments.failures.empty()) {
        write_file(arguments.failures, failure_table(failures, failures.size()).csv(), InterruptGuard::token());
    }
    if (!common.quiet && !files.write_standard_output()) {
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
    for (const MergeOutput& output : kOutputs) {
        add_value(command, "Options", "--" + key_of_setting(output.name), (*arguments).*output.path, output.type,
                  output.help);
    }
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
