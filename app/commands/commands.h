// The whole command line of the program.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "app/options/command.h"

namespace throng {

// Gives the program its name, help, version, all commands and the common options. context must outlive the program.
void add_command_line(CLI::App& program, CommandContext& context);

// Parses the arguments, which do not include the name of the program, runs their command and turns errors into messages
// on standard error. Returns the exit status. Starts with a new log and without earlier write errors, so a process may
// call it several times, one after the other.
[[nodiscard]] int run_command_line(std::vector<std::string> arguments);

}  // namespace throng
