#include "app/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/options/common.h"
#include "app/options/help.h"

namespace throng {
namespace {

using AddCommand = void (*)(CLI::App& program, CommandContext& context);

// In the order of --help.
constexpr AddCommand kCommands[] = {
    add_view_command,   add_detect_command, add_anonymize_command, add_merge_command,  add_crowd_command,
    add_nms_command,    add_bench_command,  add_eval_command,      add_relink_command, add_experiments_command,
    add_clocks_command, add_models_command, add_info_command,
};

}  // namespace

void add_command_line(CLI::App& program, CommandContext& context) {
    program.name("throng");
    program.description("Throng: real-time face detection in crowds");
    program.formatter(std::make_shared<HelpFormatter>());
    program.set_version_flag("--version", TH_VERSION);
    program.require_subcommand(0, 1);
    program.footer(
        "throng SOURCE is short for throng view SOURCE. Run throng COMMAND --help for the options of a command.");
    for (const AddCommand add : kCommands) add(program, context);
    add_common_options(program, context.common);
}

}  // namespace throng
