// Manual pages, section 1, in the man macros of roff.
#pragma once

#include <string>

#include "app/reference/command_tree.h"

namespace throng {

// Returns the page of a command, "throng-bench-nms.1"; the top command's page lists all commands, the exit statuses,
// files and environment variables. top: the program.
[[nodiscard]] std::string man_page(const CommandEntry& command, const CommandEntry& top);

}  // namespace throng
