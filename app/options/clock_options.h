// Board options of every command that processes frames: a clock profile for the run, and telemetry to a file.
#pragma once

#include <memory>
#include <string>

#include "app/options/cli_fwd.h"
#include "app/options/command.h"
#include "app/options/run_files.h"
#include "core/clocks/clock_controller.h"
#include "core/clocks/telemetry.h"
#include "core/pipeline/frame_result.h"

namespace throng {

struct ClockRunOptions {
    std::string telemetry;  // --telemetry FILE.csv
    std::string profile;    // --clocks ID: applied while the command runs
    std::string profiles;   // --profiles FILE
    std::string root;       // --root DIR
};

// Adds --telemetry, --clocks, --profiles and --root.
void add_clock_options(CLI::App& command, ClockRunOptions& options);

// Adds the profiles and the telemetry to the files of the run. Throws as RunFiles::add_output.
void add_clock_files(RunFiles& files, const ClockRunOptions& options);

// Converts the options to those of the class ClockController. Throws as load_profiles does.
[[nodiscard]] ClockOptions clock_options(const ClockRunOptions& options, const CommonOptions& common);

// Applies the clock profile and writes the telemetry of one run. The destructor restores the clocks and closes the
// file.
class ClockRun {
public:
    // Sets the profile. Throws Error(unavailable) that names the control that rejected it.
    ClockRun(const ClockRunOptions& options, const CommonOptions& common);

    // Starts the telemetry on the first call; later calls do nothing. Throws Error(input) when the file cannot be
    // written.
    void start_telemetry();
    // Returns a sink that adds the times of frames to the telemetry; null without --telemetry. The sink starts the
    // telemetry with the first frame, so a run that cannot begin leaves an earlier file unchanged. Not thread-safe:
    // several pipelines must share it through a SharedSink.
    [[nodiscard]] std::shared_ptr<ResultSink> sink();
    // Ends the telemetry. Throws Error(input) when its file could not be written to the end.
    void finish();

private:
    Telemetry::Options telemetry_options_;
    std::unique_ptr<ClockController> clocks_;
    std::unique_ptr<Telemetry> telemetry_;
};

}  // namespace throng
