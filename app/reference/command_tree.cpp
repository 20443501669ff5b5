#include "app/reference/command_tree.h"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>

namespace throng {
namespace {

// Splits CLI11's "NAME:{a,b}" into the placeholder and the choices.
void read_value(const CLI::Option& option, OptionEntry& entry) {
    if (option.get_items_expected_max() == 0) return;
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(":{");
    entry.value = type.substr(0, colon);
    if (colon != std::string::npos) {
        std::istringstream list(type.substr(colon + 2, type.find('}', colon) - colon - 2));
        for (std::string choice; std::getline(list, choice, ',');) entry.choices.push_back(choice);
    }
    if (!entry.choices.empty()) {
        entry.value = fmt::format("{}", fmt::join(entry.choices, "|"));
    } else if (entry.value.empty()) {
        entry.value = "VALUE";
    }
}

OptionEntry read_option(const CLI::Option& option) {
    OptionEntry entry;
    entry.positional = option.get_positional();
    if (entry.positional) {
        entry.names.push_back(option.get_name());
    } else {
        for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
    }
    read_value(option, entry);
    entry.default_value = option.get_default_str();
    entry.description = option.get_description();
    entry.group = option.get_group();
    entry.required = option.get_required();
    entry.repeated = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
    return entry;
}

// Returns the shell command that lists the values of an option.
std::string list_of(const std::string& command, const std::string& option) {
    static constexpr const char* kFirstColumn = "sed -n \"3,\\$s/ .*//p\"";
    if (option == "--model") {
        return "throng models list 2>/dev/null | sed -n \"s/^  [* ] [a-z]*  *\\([^ ]*\\)  *[/].*/\\1/p\"";
    }
    if (command == "throng models fetch" && option == "NAME") {
        return "throng models list 2>/dev/null | sed -n \"s/^  \\([^ /]*\\) (.*/\\1/p\"";
    }
    if (option == "--clocks" || (command == "throng clocks set" && option[0] != '-')) {
        return std::string("throng clocks list 2>/dev/null | ") + kFirstColumn;
    }
    if (command == "throng experiments run" && option == "NAME") {
        return std::string("throng experiments list 2>/dev/null | ") + kFirstColumn;
    }
    return {};
}

CommandEntry read_command(const CLI::App& app, std::vector<std::string> path) {
    CommandEntry command;
    path.push_back(app.get_name());
    command.path = std::move(path);
    command.description = app.get_description();
    command.footer = app.get_footer();
    for (const CLI::Option* option : app.get_options({})) {
        if (option->get_group().empty()) continue;
        OptionEntry& entry = command.options.emplace_back(read_option(*option));
        entry.listed_by = list_of(command.name(' '), entry.names.back());
    }
    std::stable_partition(command.options.begin(), command.options.end(),
                          [](const OptionEntry& option) { return option.positional; });
    for (const CLI::App* child : app.get_subcommands({})) {
        command.commands.push_back(read_command(*child, command.path));
    }
    return command;
}

}  // namespace

bool OptionEntry::takes_path() const {
    static constexpr std::string_view kPaths[] = {"FILE", "DIR", "SOURCE", "TRUTH", "DETECTIONS", "OUT"};
    const auto names_path = [](std::string_view text) {
        return std::any_of(std::begin(kPaths), std::end(kPaths),
                           [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
    };
    return takes_value() && choices.empty() && (names_path(value) || (positional && names_path(names.front())));
}

std::string CommandEntry::name(char separator) const {
    return fmt::format("{}", fmt::join(path, std::string(1, separator)));
}

CommandEntry read_command_tree(const CLI::App& program) {
    return read_command(program, {});
}

std::vector<const CommandEntry*> all_commands(const CommandEntry& top) {
    std::vector<const CommandEntry*> all{&top};
    for (const CommandEntry& child : top.commands) {
        const auto below = all_commands(child);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

}  // namespace throng
