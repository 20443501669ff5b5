#include "app/reference/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace throng {
namespace {

// Quotes for a POSIX shell, and for fish.
std::string quoted(const std::string& text, const char* quote_inside) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += quote_inside;
        else
            out += c;
    }
    return out + "'";
}

bool takes_positional_path(const CommandEntry& command) {
    for (const OptionEntry& option : command.options) {
        if (option.positional && option.takes_path()) return true;
    }
    return false;
}

std::vector<std::string> child_names(const CommandEntry& command) {
    std::vector<std::string> names;
    for (const CommandEntry& child : command.commands) names.push_back(child.path.back());
    return names;
}

std::vector<std::string> option_names(const CommandEntry& command) {
    std::vector<std::string> names;
    for (const OptionEntry& option : command.options) {
        if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

}  // namespace

std::string bash_completion(const CommandEntry& top) {
    std::string text = R"(# bash completion for throng

_throng()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path=throng word commands options
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$path $word" in
)";
    for (const CommandEntry* command : all_commands(top)) {
        if (command != &top)
            text += fmt::format("            '{}') path='{}' ;;\n", command->name(' '), command->name(' '));
    }
    text += "        esac\n    done\n    case \"$path $prev\" in\n";
    for (const CommandEntry* command : all_commands(top)) {
        for (const OptionEntry& option : command->options) {
            if (option.positional || !option.takes_value()) continue;
            std::vector<std::string> patterns;
            for (const std::string& name : option.names)
                patterns.push_back("'" + command->name(' ') + " " + name + "'");
            const std::string words =
                !option.choices.empty() ? fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")",
                                                      fmt::join(option.choices, " "))
                : option.takes_path()   ? "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
                                        : "COMPREPLY=()";
            text += fmt::format("        {}) {}; return ;;\n", fmt::join(patterns, "|"), words);
        }
    }
    text += "    esac\n    case \"$path\" in\n";
    for (const CommandEntry* command : all_commands(top)) {
        text += fmt::format("        '{}') commands='{}' options='{}' ;;\n", command->name(' '),
                            fmt::join(child_names(*command), " "), fmt::join(option_names(*command), " "));
    }
    text += R"(    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur"; compgen -f -- "$cur")
}
complete -F _throng throng
)";
    return text;
}

std::string zsh_completion(const CommandEntry& top) {
    const auto function_name = [](const CommandEntry& command) { return "_" + command.name('_'); };
    // A colon ends and brackets delimit a description in _arguments.
    const auto described = [](const std::string& text) {
        std::string out;
        for (const char c : text) {
            if (c == ':' || c == '[' || c == ']') out += '\\';
            out += c;
        }
        return out;
    };
    std::string text = "#compdef throng\n\n";
    for (const CommandEntry* command : all_commands(top)) {
        text += fmt::format("{}() {{\n    local curcontext=\"$curcontext\" state\n    local -a commands\n",
                            function_name(*command));
        text += "    _arguments -C -s \\\n";
        for (const OptionEntry& option : command->options) {
            const std::string action = !option.choices.empty() ? fmt::format("({})", fmt::join(option.choices, " "))
                                       : option.takes_path()   ? "_files"
                                                               : " ";
            const std::string value =
                option.takes_value() ? fmt::format(":{}:{}", described(option.value), action) : "";
            if (option.positional) {
                if (!command->commands.empty()) continue;
                const std::string spec =
                    fmt::format("{}:{}:{}", option.repeated ? "*" : "", described(option.names.front()), action);
                text += "        " + quoted(spec, "'\\''") + " \\\n";
                continue;
            }
            for (const std::string& name : option.names) {
                text += "        " +
                        quoted(fmt::format("{}[{}]{}", name, described(option.description), value), "'\\''") + " \\\n";
            }
        }
        if (command->commands.empty()) {
            text += "        && return\n}\n\n";
            continue;
        }
        text +=
            "        '1: :->command' '*:: :->arguments' && return\n    case $state in\n    command)\n        "
            "commands=(\n";
        for (const CommandEntry& child : command->commands) {
            text += "            " + quoted(child.path.back() + ":" + described(child.description), "'\\''") + "\n";
        }
        text += fmt::format(
            "        )\n        _describe command commands\n{}        ;;\n    arguments)\n        case $words[1] in\n",
            command == &top ? "        _files\n" : "");
        for (const CommandEntry& child : command->commands) {
            text += fmt::format("        {}) {} ;;\n", child.path.back(), function_name(child));
        }
        text += "        esac\n        ;;\n    esac\n}\n\n";
    }
    return text + "_throng \"$@\"\n";
}

std::string fish_completion(const CommandEntry& top) {
    std::string text = "# fish completion for throng\n";
    for (const CommandEntry* command : all_commands(top)) {
        std::string condition = "__fish_use_subcommand";
        if (command != &top) {
            std::vector<std::string> seen;
            for (std::size_t i = 1; i < command->path.size(); ++i)
                seen.push_back("__fish_seen_subcommand_from " + command->path[i]);
            condition = fmt::format("{}", fmt::join(seen, "; and "));
        }
        const std::string start = fmt::format("complete -c throng -n {}", quoted(condition, "\\'"));
        for (const CommandEntry& child : command->commands) {
            text += fmt::format("{} -a {} -d {}\n", start, child.path.back(), quoted(child.description, "\\'"));
        }
        if (command != &top && !takes_positional_path(*command)) text += start + " -f\n";
        for (const OptionEntry& option : command->options) {
            if (option.positional) continue;
            text += start;
            for (const std::string& name : option.names) {
                text += name.compare(0, 2, "--") == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
            }
            if (!option.choices.empty()) {
                text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
            } else if (option.takes_value()) {
                text += option.takes_path() ? " -r -F" : " -x";
            }
            text += " -d " + quoted(option.description, "\\'") + "\n";
        }
    }
    return text;
}

}  // namespace throng
