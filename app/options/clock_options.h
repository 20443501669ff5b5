// What every command that runs frames can do with the board: a clock profile for the run, and telemetry to a file.
#pragma once

#include <memory>
#include <string>

#include "app/commands/command.h"
#include "app/options/cli_fwd.h"
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

// The options as the classes below take them. Throws as load_profiles does.
[[nodiscard]] ClockOptions clock_options(const ClockRunOptions& options, const CommonOptions& common);

// Lives as long as the run: restores the clocks and ends the file at its end.
class ClockRun {
public:
    // Throws Error(unavailable) naming what refused when the profile cannot be set, Error(input) for a telemetry file
    // that cannot be written.
    ClockRun(const ClockRunOptions& options, const CommonOptions& common);

    // Joins the times of frames to the telemetry; null without --telemetry. For every pipeline of the run.
    [[nodiscard]] std::shared_ptr<ResultSink> sink() const;

private:
    std::unique_ptr<ClockController> clocks_;
    std::shared_ptr<Telemetry> telemetry_;
};

}  // namespace throng
