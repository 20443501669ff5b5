// Options that every command takes, and helpers around CLI11's parsing.
#pragma once

#include <string>
#include <vector>

#include "app/options/command.h"
#include "core/base/error.h"

namespace throng {

// Adds --config, --backend, --device, --log-level and --quiet to the program and to every command below it.
void add_common_options(CLI::App& program, CommonOptions& common);

// Returns the arguments, with the default command inserted where the user gave none: `throng clip.mp4` means
// `throng view clip.mp4`. Throws Error(usage) for an argument that looks like a misspelled command.
[[nodiscard]] std::vector<std::string> with_default_command(const CLI::App& program,
                                                            std::vector<std::string> arguments);

// Converts an error of CLI11. Suggests the option with the most similar name, if there is one.
[[nodiscard]] Error usage_error(CLI::App& program, const CLI::ParseError& error);

// Returns the called command, such as the innermost one of `bench nms`; the program itself when no command was called.
[[nodiscard]] CLI::App& called_command(CLI::App& program);

}  // namespace throng
