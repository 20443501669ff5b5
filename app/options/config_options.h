// Sets options from a configuration file after the command line was parsed. The command line takes precedence.
#pragma once

#include "app/options/command.h"
#include "core/base/config.h"

namespace throng {

// Reads --config FILE, or the user's own file where --config is not given (--config "" reads none), and sets the
// options of the called command. A key before the first section, or in the section of an option group ([nms],
// [detector], …), applies to every command that has the option. A key in a command's section ([view], [crowd]) applies
// to that command only. Throws Error(usage) naming file, line and key for an unknown key or section, a wrong type or a
// value that the option rejects; Error(input) when the file cannot be read.
void apply_config(CLI::App& program, const CommonOptions& common);

// The same for a file that was already read.
void apply_config(CLI::App& program, const ConfigFile& file);

// From now on, messages spell a setting (core/base/message.h) as the user gave it: "c.toml:3: nms.theta" if apply_config
// set it after this call, otherwise, and with a value, as the option: "--theta", "--backend cpu".
void spell_options();

}  // namespace throng
