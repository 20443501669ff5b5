// Runs a bench command: its common options, progress, interruption, interleaved runs, and the output of the results.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lab/measure/result_list.h"
#include "app/lab/measure/samples.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"

namespace throng {

struct BenchOptions {
    int repeat = 15;  // measured runs per setting; 0: as many as fit into a budget of time
    bool no_baselines = false;
    std::string json;  // "-": standard output; empty: none
    std::string csv;
};

// Adds --json and --csv. group: heading in --help; empty: the default one.
void add_result_options(CLI::App& command, BenchOptions& options, const std::string& group = "Options");
// Adds --repeat, --no-baselines, --json and --csv. The default of --repeat is its current value; if that is 0, so is the
// minimum.
void add_bench_options(CLI::App& command, BenchOptions& options);

// One run of a bench command. Ctrl-C ends it after the current measurement; the completed rows are written.
class BenchRun {
public:
    // label: "bench hog", for the progress line. Both options must outlive this object.
    BenchRun(const CommonOptions& common, const BenchOptions& options, std::string label);

    // Returns the files of the run, to which inputs are added before start().
    [[nodiscard]] RunFiles& files() { return files_; }
    // Checks the outputs and shows the progress line. steps: how often step() will be called; empty: unknown. Throws as
    // RunFiles::add_output.
    void start(std::optional<std::uint64_t> steps);
    // Shows what is measured next. Throws Error(interrupted) after Ctrl-C.
    void step(std::string_view note);
    // Changes the note of the current step.
    void note(std::string_view note);
    // Erases the progress line until the next step. To be called before a warning.
    void pause();

    // Calls measure(setting) for each setting. Ends early after Ctrl-C.
    template <class Settings, class Measure>
    void for_each(const Settings& settings, Measure&& measure) {
        for (const auto& setting : settings) {
            if (!completes([&] { measure(setting); })) return;
        }
    }

    // Prints heading, table and notes, unless data goes to standard output or --quiet was given, and writes --csv and
    // --json. document: the JSON object; the rows are added as `key`. Writes nothing if an interrupted run has no rows.
    // Returns the exit status: 0, or 130 after Ctrl-C. Throws Error(input).
    int finish(const ResultList& rows, nlohmann::ordered_json document, std::string_view heading,
               std::string_view notes = {}, const std::string& key = "rows");

private:
    // Returns false if the work was interrupted.
    bool completes(const std::function<void()>& work);

    const CommonOptions& common_;
    const BenchOptions& options_;
    const std::string label_;
    RunFiles files_;
    InterruptGuard interrupts_;
    std::optional<Progress> progress_;
    std::uint64_t steps_ = 0;  // started
};

// One of several programs that are measured in turn.
struct BenchCase {
    std::string name;
    std::function<void()> run;
    std::function<StageTimes()> stages = {};  // of the last run; null: none
    RunTimes times = {};
};

// Runs all cases once, then all again, and so on, so that changes of the machine's speed affect all alike. The first
// `warm_up` rounds do not count. setting: for the progress line, which advances (warm_up + repeats) times per case.
void measure_interleaved(std::vector<BenchCase>& cases, int warm_up, int repeats, const std::string& setting,
                         const std::function<void(const std::string&)>& step);

}  // namespace throng
