// Options that every command takes, and what the command line needs around CLI11's own parsing.
#pragma once

#include <string>
#include <vector>

#include "app/commands/command.h"
#include "core/base/error.h"

namespace throng {

// Adds --config, --backend, --device, --log-level and --quiet to the program and to every command below it.
void add_common_options(CLI::App& program, CommonOptions& common);

// The arguments with the command filled in that the user left out: `throng clip.mp4` means `throng view clip.mp4`.
// Throws Error(usage) for what looks like a misspelt command.
[[nodiscard]] std::vector<std::string> with_default_command(const CLI::App& program,
                                                            std::vector<std::string> arguments);

// What CLI11 found wrong, with the option that was meant where one looks alike.
[[nodiscard]] Error usage_error(CLI::App& program, const CLI::ParseError& error);

// The command that was called, the innermost one of `bench nms`; the program itself when there is none.
[[nodiscard]] CLI::App& called_command(CLI::App& program);

}  // namespace throng
