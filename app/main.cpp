// Parses the command line, runs one command and turns errors into messages and exit statuses.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/options/command.h"
#include "app/options/common.h"
#include "app/options/config_options.h"
#include "app/options/interrupt.h"
#include "app/options/report.h"
#include "app/options/standard_output.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

int run(std::vector<std::string> arguments) {
    CLI::App program;
    CommandContext context;
    add_command_line(program, context);

    arguments = with_default_command(program, std::move(arguments));
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
    apply_config(program, context.common);
    initialize_log(context.common.quiet && context.common.log_level == "info" ? "warn" : context.common.log_level);
    if (!context.run) {
        standard_output::write(program.help());
        return 0;
    }
    return context.run();
}

// Runs a function that returns an exit status. Prints exceptions and converts them to exit statuses.
template <class Run>
int status_of(Run run) {
    try {
        return run();
    } catch (const Error& error) {
        print_error(error);
        return exit_status(error.kind());
    } catch (const std::bad_alloc&) {
        print_error("out of memory");
    } catch (const std::exception& error) {
        print_error(std::string_view(error.what()));
    }
    return exit_status(ErrorKind::internal);
}

}  // namespace
}  // namespace throng

int main(int argc, char** argv) {
    using namespace throng;
    standard_output::reserve_descriptors();
    exit_on_signals();
    // A closed pipe (`| head`) becomes a write error, so that other outputs are still closed properly.
    std::signal(SIGPIPE, SIG_IGN);
    // Exceeding the file size limit (`ulimit -f`) becomes a write error, too, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    const int status = status_of([&] { return run({argv + 1, argv + argc}); });
    if (status != 0) return status;
    return status_of([] {
        standard_output::check();
        return 0;
    });
}
