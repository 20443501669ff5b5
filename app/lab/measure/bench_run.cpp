#include "app/lab/measure/bench_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/options/command_line.h"
#include "app/options/standard_output.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"

namespace throng {

void add_result_options(CLI::App& command, BenchOptions& options, const std::string& group) {
    add_value(command, group, "--json", options.json, "FILE", "Write the results as JSON; - for standard output");
    add_value(command, group, "--csv", options.csv, "FILE", "Write the table as CSV; - for standard output");
}

void add_bench_options(CLI::App& command, BenchOptions& options) {
    const bool by_budget = options.repeat == 0;
    add_value(command, "Options", "--repeat", options.repeat, "N",
              by_budget ? "Measured runs per setting; 0: as many as fit into about half a second"
                        : "Measured runs per setting and detector",
              whole_range(by_budget ? 0 : 1, 1000000));
    add_flag(command, "Options", "--no-baselines", options.no_baselines,
             "Do not measure the baselines, such as OpenCV");
    add_result_options(command, options);
}

BenchRun::BenchRun(const CommonOptions& common, const BenchOptions& options, std::string label)
    : common_(common), options_(options), label_(std::move(label)), files_(common) {}

void BenchRun::start(std::optional<std::uint64_t> steps) {
    files_.add_output("csv", options_.csv);
    files_.add_output("json", options_.json);
    progress_.emplace(common_, label_, steps);
}

void BenchRun::step(std::string_view note) {
    if (InterruptGuard::requested()) throw Error(ErrorKind::interrupted, "interrupted before the end");
    progress_->update(steps_++, note);
}

void BenchRun::note(std::string_view note) {
    progress_->update(steps_ - 1, note);
}

void BenchRun::pause() {
    progress_->finish();
}

bool BenchRun::completes(const std::function<void()>& work) {
    try {
        work();
        return !InterruptGuard::requested();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::interrupted) throw;
        return false;
    }
}

int BenchRun::finish(const ResultList& rows, nlohmann::ordered_json document, std::string_view heading,
                     std::string_view notes, const std::string& key) {
    progress_->finish();
    const int status = InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : 0;
    if (rows.empty() && status != 0) return status;
    const TextTable table = rows.table();
    if (!common_.quiet && !files_.write_standard_output()) {
        standard_output::print("{}\n{}{}", heading, table.text(), notes);
    }
    if (!options_.csv.empty()) write_file(options_.csv, table.csv());
    if (!options_.json.empty()) {
        document[key] = rows.json();
        write_file(options_.json, json_text(document, 2) + "\n");
    }
    return status;
}

void measure_interleaved(std::vector<BenchCase>& cases, int warm_up, int repeats, const std::string& setting,
                         const std::function<void(const std::string&)>& step) {
    for (int round = 0; round < warm_up + repeats; ++round) {
        for (BenchCase& each : cases) {
            step(fmt::format("{}, {}, run {} of {}", setting, each.name, round + 1, warm_up + repeats));
            const double ms = milliseconds_of(each.run);
            const StageTimes stages = each.stages ? each.stages() : StageTimes{};
            if (round >= warm_up) each.times.add(ms, stages);
        }
    }
}

}  // namespace throng
