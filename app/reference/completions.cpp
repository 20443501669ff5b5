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

// Returns the command that lists the values of a positional argument; empty: none.
std::string positional_list(const CommandEntry& command) {
    for (const OptionEntry& option : command.options) {
        if (option.positional && !option.listed_by.empty()) return option.listed_by;
    }
    return {};
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
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path=throng word commands options files=
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
            std::string sources;
            if (!option.choices.empty()) {
                sources = fmt::format("compgen -W '{}' -- \"$cur\"", fmt::join(option.choices, " "));
            } else if (!option.listed_by.empty()) {
                sources = fmt::format("compgen -W \"$({})\" -- \"$cur\"", option.listed_by);
            }
            if (option.takes_path()) sources += (sources.empty() ? "" : "; ") + std::string("compgen -f -- \"$cur\"");
            const std::string words = (option.takes_path() ? "compopt -o filenames; " : "") +
                                      (sources.empty() ? "COMPREPLY=()" : "mapfile -t COMPREPLY < <(" + sources + ")");
            text += fmt::format("        {}) {}; return ;;\n", fmt::join(patterns, "|"), words);
        }
    }
    text += "    esac\n    case \"$path\" in\n";
    for (const CommandEntry* command : all_commands(top)) {
        const std::string list = positional_list(*command);
        text += fmt::format("        '{}') commands={} options='{}' ;;\n", command->name(' '),
                            list.empty() ? fmt::format("'{}' files=yes", fmt::join(child_names(*command), " "))
                                         : fmt::format("$({})", list),
                            fmt::join(option_names(*command), " "));
    }
    text += R"(    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    [[ $files ]] && compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur"; [[ $files ]] && compgen -f -- "$cur")
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
            const char* files = option.takes_path() ? "_files" : "";
            const std::string action = !option.choices.empty() ? fmt::format("({})", fmt::join(option.choices, " "))
                                       : !option.listed_by.empty()
                                           ? fmt::format("{{compadd -- $({}); {}}}", option.listed_by, files)
                                       : option.takes_path() ? "_files"
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
        if (const std::string list = positional_list(*command); !list.empty()) {
            text += start + " -a " + quoted("(" + list + ")", "\\'") + "\n";
        }
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
                if (!option.listed_by.empty()) text += " -a " + quoted("(" + option.listed_by + ")", "\\'");
            }
            text += " -d " + quoted(option.description, "\\'") + "\n";
        }
    }
    return text;
}

}  // namespace throng
