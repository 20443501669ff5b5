// The whole command line of the program.
#pragma once

#include "app/options/cli_fwd.h"
#include "app/options/command.h"

namespace throng {

// Gives the program its name, help, version, all commands and the common options. context must outlive the program.
void add_command_line(CLI::App& program, CommandContext& context);

}  // namespace throng
