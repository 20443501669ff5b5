// The command line as plain data, read from CLI11: what the man pages and the completions of the shells describe.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli_fwd.h"

namespace throng {

struct OptionEntry {
    std::vector<std::string> names;    // "--quiet", "-q"; one name without dashes for a positional argument
    std::string value;                 // placeholder of the value ("FILE"); empty for a flag
    std::vector<std::string> choices;  // the only values allowed, if there are any
    std::string default_value;         // empty: none is shown
    std::string description;
    std::string group;      // heading in --help
    std::string listed_by;  // a shell command that prints possible values, without single quotes; empty: none
    bool positional = false;
    bool required = false;
    bool repeated = false;  // takes any number of values

    [[nodiscard]] bool takes_value() const { return !value.empty(); }
    // Returns whether the value names a file or a folder.
    [[nodiscard]] bool takes_path() const;
};

struct CommandEntry {
    std::vector<std::string> path;  // {"throng", "bench", "nms"}
    std::string description;
    std::string footer;
    std::vector<OptionEntry> options;    // without hidden ones; positional arguments first
    std::vector<CommandEntry> commands;  // in the order of --help

    [[nodiscard]] std::string name(char separator) const;  // the path, joined
};

[[nodiscard]] CommandEntry read_command_tree(const CLI::App& program);

// Returns the command and all commands below it, each before those below it.
[[nodiscard]] std::vector<const CommandEntry*> all_commands(const CommandEntry& top);

}  // namespace throng
