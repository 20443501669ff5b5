// Parses the command line, runs one command and turns errors into messages and exit statuses.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/options/common.h"
#include "app/options/config_options.h"
#include "app/options/help.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

using AddCommand = void (*)(CLI::App& program, CommandContext& context);

// In the order of --help.
constexpr AddCommand kCommands[] = {
    add_view_command, add_detect_command,      add_crowd_command,  add_nms_command,    add_bench_command,
    add_eval_command, add_experiments_command, add_clocks_command, add_models_command, add_info_command,
};

int run(std::vector<std::string> arguments) {
    CLI::App program("Throng: real-time face detection in crowds", "throng");
    program.formatter(std::make_shared<HelpFormatter>());
    program.set_version_flag("--version", TH_VERSION);
    program.require_subcommand(0, 1);
    program.footer("throng SOURCE is short for throng view SOURCE. throng COMMAND --help explains a command.");

    CommandContext context;
    for (const AddCommand add : kCommands) add(program, context);
    add_common_options(program, context.common);

    arguments = with_default_command(program, std::move(arguments));
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
        program.parse(arguments);
    } catch (const CLI::Success& asked) {  // --help, --version
        return program.exit(asked);
    } catch (const CLI::ParseError& error) {
        throw usage_error(program, error);
    }
    apply_config(program, context.common);
    set_up_log(context.common.quiet && context.common.log_level == "info" ? "warn" : context.common.log_level);
    if (!context.run) {
        std::fputs(program.help().c_str(), stdout);
        return 0;
    }
    return context.run();
}

}  // namespace
}  // namespace throng

int main(int argc, char** argv) {
    // A reader that went away (`| head`) is an error of the write, so that other outputs are still closed in order.
    std::signal(SIGPIPE, SIG_IGN);
    // So is a file that reaches the limit of its size (`ulimit -f`): it counts as a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return throng::run({argv + 1, argv + argc});
    } catch (const throng::Error& error) {
        std::fprintf(stderr, "throng: %s\n", error.what());
        return throng::exit_status(error.kind());
    } catch (const std::bad_alloc&) {
        std::fputs("throng: out of memory\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "throng: %s\n", error.what());
    }
    return throng::exit_status(throng::ErrorKind::internal);
}
