// Fills options from a configuration file after the command line was parsed; the command line wins.
#pragma once

#include "app/commands/command.h"
#include "core/base/config.h"

namespace throng {

// Reads --config FILE, else the user's own file where there is one (--config "" reads none), and gives the values to
// the called command's options. A key on top of the file or in the section of an option group ([nms], [detector], …)
// reaches every command that has the option; a key in a command's section ([view], [crowd]) that command alone. Throws
// Error(usage) naming file, line and key for a key or section that does not exist in any command, a wrong type or a
// value that the option rejects; Error(input) when the file cannot be read.
void apply_config(CLI::App& program, const CommonOptions& common);

// The same for a file already read.
void apply_config(CLI::App& program, const ConfigFile& file);

}  // namespace throng
