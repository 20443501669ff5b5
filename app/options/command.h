// Declares the commands of the program: one file per command, one line each in the table of commands.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "core/detect/backend_kind.h"

namespace throng {

// Options that every command takes. The parser sets them before it calls run.
struct CommonOptions {
    std::string config;                            // --config FILE
    BackendKind backend = BackendKind::automatic;  // --backend
    int device = 0;                                // --device N
    std::string log_level = "info";                // --log-level
    bool quiet = false;                            // --quiet: no progress, no tables, warnings only
    std::vector<std::string> arguments;            // all of the command line, with the default command
};

// A command's callback sets `run`, which run_command_line calls after parsing. run returns the exit status and may throw
// Error.
struct CommandContext {
    CommonOptions common;
    std::function<void()> before_config;  // called before the file of --config, which may be a pipe, is read
    std::function<int()> run;
};

// Sets what runs after parsing if the command was given.
void set_run(CLI::App& command, CommandContext& context, std::function<int()> run);

// Each function adds its subcommand to the program. It is defined in the file with the command's name.
void add_view_command(CLI::App& program, CommandContext& context);
void add_detect_command(CLI::App& program, CommandContext& context);
void add_merge_command(CLI::App& program, CommandContext& context);
void add_export_command(CLI::App& program, CommandContext& context);
void add_anonymize_command(CLI::App& program, CommandContext& context);
void add_crowd_command(CLI::App& program, CommandContext& context);
void add_nms_command(CLI::App& program, CommandContext& context);
void add_bench_command(CLI::App& program, CommandContext& context);
void add_eval_command(CLI::App& program, CommandContext& context);
void add_clocks_command(CLI::App& program, CommandContext& context);
void add_experiments_command(CLI::App& program, CommandContext& context);
void add_models_command(CLI::App& program, CommandContext& context);
void add_info_command(CLI::App& program, CommandContext& context);

// Subcommands of `bench`, one file each.
void add_bench_nms_command(CLI::App& bench, CommandContext& context);
void add_bench_cascade_command(CLI::App& bench, CommandContext& context);
void add_bench_hog_command(CLI::App& bench, CommandContext& context);
void add_bench_cnn_command(CLI::App& bench, CommandContext& context);
void add_bench_pipeline_command(CLI::App& bench, CommandContext& context);

}  // namespace throng
