// Adds an option with one value: most options of commands.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace throng {

// group: its heading in help texts. type: placeholder of the value; choices of `check` replace it. The value is the
// default.
template <class Value>
CLI::Option* add_value(CLI::App& command, const std::string& group, const std::string& option, Value& value,
                       const std::string& type, const std::string& help,
                       const CLI::Validator& check = CLI::Validator()) {
    return command.add_option(option, value, help)->check(check)->type_name(type)->capture_default_str()->group(group);
}

}  // namespace throng
