#include "app/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/options/common.h"
#include "app/options/config_options.h"
#include "app/options/help.h"
#include "app/options/report.h"
#include "app/options/standard_output.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

using AddCommand = void (*)(CLI::App& program, CommandContext& context);

// A heading of --help and its commands, in their order there.
struct CommandGroup {
    const char* title;
    std::vector<AddCommand> commands;
};

const CommandGroup kGroups[] = {
    {"Use",
     {add_view_command, add_detect_command, add_anonymize_command, add_merge_command, add_export_command,
      add_models_command, add_clocks_command, add_info_command}},
    {"Laboratory",  // app/lab
     {add_crowd_command, add_nms_command, add_eval_command, add_bench_command, add_experiments_command}},
};

// Makes two arguments of "--json=", as for "--json=a": CLI11 would take the argument after it as the value.
std::vector<std::string> with_empty_values(const std::vector<std::string>& arguments) {
    std::vector<std::string> all;
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    for (auto each = arguments.begin(); each != arguments.end(); ++each) {
        const bool empty = each < end && each->starts_with("--") && each->find('=') == each->size() - 1;
        all.push_back(empty ? each->substr(0, each->size() - 1) : *each);
        if (empty) all.emplace_back();
    }
    return all;
}

int parse_and_run(std::vector<std::string> arguments) {
    spell_options();
    CLI::App program;
    CommandContext context;
    add_command_line(program, context);

    arguments = with_default_command(program, with_empty_values(arguments));
    context.common.arguments = arguments;
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects the arguments in reverse order
    try {
        program.parse(arguments);
    } catch (const CLI::Success& asked) {  // --help, --version
        std::ostringstream text;
        const int status = program.exit(asked, text, text);
        standard_output::write(text.str());
        return status;
    } catch (const CLI::ParseError& error) {
        throw usage_error(program, error);
    }
    if (context.before_config) context.before_config();
    apply_config(program, context.common);
    initialize_log(context.common.quiet && context.common.log_level == "info" ? "warn" : context.common.log_level);
    if (!context.run) {
        standard_output::write(program.help());
        return 0;
    }
    std::error_code failure;
    static_cast<void>(std::filesystem::current_path(failure));
    if (failure) throw Error(ErrorKind::input, "the current folder was removed", {}, "change to another one");
    return context.run();
}

// Runs a function that returns an exit status. Prints exceptions and converts them to exit statuses.
template <class Run>
int status_of(Run run) {
    try {
        return run();
    } catch (const std::bad_alloc&) {  // no memory for an Error
        print_error("out of memory");
        return exit_status(ErrorKind::internal);
    } catch (...) {
        const Error error = current_error();
        print_error(error);
        return exit_status(error.kind());
    }
}

}  // namespace

void add_command_line(CLI::App& program, CommandContext& context) {
    program.name("throng");
    program.description("Throng: real-time face detection in crowds");
    program.formatter(std::make_shared<HelpFormatter>());
    program.set_version_flag("--version", TH_VERSION);
    program.require_subcommand(0, 1);
    program.footer(
        "throng SOURCE is short for throng view SOURCE. Run throng COMMAND --help for the options of a command.");
    for (const CommandGroup& group : kGroups) {
        for (const AddCommand add : group.commands) {
            add(program, context);
            program.get_subcommands({}).back()->group(group.title);
        }
    }
    add_common_options(program, context.common);
}

int run_command_line(std::vector<std::string> arguments) {
    standard_output::reset();
    const int status = status_of([&] {
        initialize_log("info");  // until --log-level is known
        return parse_and_run(std::move(arguments));
    });
    if (status != 0) return status;
    return status_of([] {
        standard_output::check();
        return 0;
    });
}

}  // namespace throng
