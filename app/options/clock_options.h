// What every command that runs frames can do with the board: a clock profile for the run, and telemetry to a file.
#pragma once

#include <memory>
#include <string>

#include "app/commands/command.h"
#include "app/options/cli_fwd.h"
#include "app/options/run_files.h"
#include "core/clocks/clock_controller.h"
#include "core/clocks/telemetry.h"
#include "core/pipeline/frame_result.h"

namespace throng {

struct ClockRunOptions {
    std::string telemetry;  // --telemetry FILE.csv
    std::string profile;    // --clocks ID: in force while the command runs
    std::string profiles;   // --profiles FILE
    std::string root;       // --root DIR
};

// Adds --telemetry, --clocks, --profiles and --root.
void add_clock_options(CLI::App& command, ClockRunOptions& options);

// Adds the profiles and the telemetry to the files of the run. Throws as RunFiles::add_output.
void add_clock_files(RunFiles& files, const ClockRunOptions& options);

// The options as the classes below take them. Throws as load_profiles does.
[[nodiscard]] ClockOptions clock_options(const ClockRunOptions& options, const CommonOptions& common);

// Lives as long as the run: restores the clocks and ends the file at its end.
class ClockRun {
public:
    // Sets the profile. Throws Error(unavailable) naming what rejected it.
    ClockRun(const ClockRunOptions& options, const CommonOptions& common);

    // Starts the telemetry, the first time only. Throws Error(input) when the file cannot be written.
    void start_telemetry();
    // Starts the telemetry with the first frame, so that a run that cannot begin leaves an earlier file as it was, and
    // adds the times of frames to it; null without --telemetry. Not thread-safe: pipelines share it in turns.
    [[nodiscard]] std::shared_ptr<ResultSink> sink();
    // Ends the telemetry. Throws Error(input) when its file could not be written to the end.
    void finish();

private:
    Telemetry::Options telemetry_options_;
    std::unique_ptr<ClockController> clocks_;
    std::unique_ptr<Telemetry> telemetry_;
};

}  // namespace throng
