// Completion scripts for shells: commands, options, choices of values, and files.
#pragma once

#include <string>

#include "app/reference/command_tree.h"

namespace throng {

[[nodiscard]] std::string bash_completion(const CommandEntry& top);
[[nodiscard]] std::string zsh_completion(const CommandEntry& top);
[[nodiscard]] std::string fish_completion(const CommandEntry& top);

}  // namespace throng
