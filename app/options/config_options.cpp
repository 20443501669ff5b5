#include "app/options/config_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "app/options/command_line.h"
#include "app/options/common.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace throng {
namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Returns "theta" for --theta, "source" for the positional SOURCE; empty for options that a file must not set.
std::string key_of(const CLI::Option& option) {
    const std::string key = lower(option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front());
    return key == "help" || key == "version" || key == "config" ? std::string() : key;
}

bool is_flag(const CLI::Option& option) {
    return option.get_items_expected_max() == 0;
}

// Appends the commands that can run: those without subcommands.
void collect_leaves(CLI::App& app, std::vector<CLI::App*>& leaves) {
    const auto below = app.get_subcommands({});
    if (below.empty()) leaves.push_back(&app);
    for (CLI::App* command : below) collect_leaves(*command, leaves);
}

struct Candidate {
    CLI::App* command;
    CLI::Option* option;
};

bool is_below(const CLI::App* command, const std::string& name) {
    for (; command != nullptr; command = command->get_parent()) {
        if (command->get_name() == name) return true;
    }
    return false;
}

// Returns all options that a section applies to: those of the command and those of the option group of that name ("nms"
// is both).
std::vector<Candidate> options_of(CLI::App& program, const std::string& section) {
    std::vector<CLI::App*> leaves;
    collect_leaves(program, leaves);
    std::vector<Candidate> found;
    for (CLI::App* leaf : leaves) {
        const bool whole_command = section.empty() || is_below(leaf, section);
        for (CLI::Option* option : leaf->get_options({})) {
            if (key_of(*option).empty()) continue;
            if (whole_command || lower(option->get_group()) == section) found.push_back({leaf, option});
        }
    }
    return found;
}

std::vector<std::string> section_names(CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
    for (const Candidate& candidate : options_of(program, {})) names.push_back(lower(candidate.option->get_group()));
    return names;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
    const std::string meant = closest_name(name, names);
    return meant.empty() ? std::string() : "did you mean " + meant + "?";
}

// Returns whether the command line set the option, after the command or before it.
bool is_given(const CLI::App& command, const std::string& key) {
    for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
        for (const CLI::Option* option : app->get_options({})) {
            if (key_of(*option) == key && option->count() > 0) return true;
        }
    }
    return false;
}

// Returns why the option cannot have the type of the entry; empty when it can.
std::string type_problem(const ConfigEntry& entry, const CLI::Option& option) {
    const bool boolean = entry.type == ConfigEntry::Type::boolean;
    if (is_flag(option)) return boolean && entry.values.size() == 1 ? "" : "must be true or false";
    if (boolean) return "takes a value, not true or false";
    const bool takes_all = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;  // given repeatedly
    const bool too_many = !takes_all && static_cast<int>(entry.values.size()) > option.get_items_expected_max();
    return too_many ? "takes one value, not a list" : "";
}

// Options of several commands may share a name but not a type. If the called command has the option, its type decides.
// Otherwise one option that accepts the type is enough.
void check_type(const ConfigFile& file, const ConfigEntry& entry, const std::vector<Candidate>& candidates,
                const CLI::App& called) {
    const auto is_own = [&](const Candidate& candidate) { return candidate.command == &called; };
    const bool has_own = std::any_of(candidates.begin(), candidates.end(), is_own);
    std::string problem;
    for (const Candidate& candidate : candidates) {
        if (has_own && !is_own(candidate)) continue;
        problem = type_problem(entry, *candidate.option);
        if (problem.empty()) return;
    }
    throw Error(ErrorKind::usage, problem, file.location_of(entry));
}

// Where the configuration file sets an option, by the option's key.
std::map<std::string, std::string>& locations() {
    static std::map<std::string, std::string> found;
    return found;
}

void set(const ConfigFile& file, const ConfigEntry& entry, CLI::Option& option) {
    try {
        if (is_flag(option)) {
            option.add_result(option.get_flag_value(option.get_lnames().front(), entry.values.front()));
        } else {
            option.add_result(entry.values);
        }
        option.run_callback();
        locations()[entry.key] = file.location_of(entry);
    } catch (const CLI::ParseError& error) {
        const std::string problem = error.what();
        const std::string name = option.get_name() + ": ";  // the location names the key
        throw Error(ErrorKind::usage, problem.starts_with(name) ? problem.substr(name.size()) : problem,
                    file.location_of(entry));
    } catch (const Error& error) {
        throw Error(error.kind(), error.problem(), file.location_of(entry), error.advice());
    }
}

std::string spell_option(const Setting& setting) {
    const std::string key = key_of_setting(setting.name);
    if (!setting.value.empty()) return "--" + key + " " + setting.value;
    const auto location = locations().find(key);
    return location != locations().end() ? location->second : "--" + key;
}

}  // namespace

void apply_config(CLI::App& program, const ConfigFile& file) {
    CLI::App& called = called_command(program);
    const std::vector<std::string> sections = section_names(program);
    for (const ConfigEntry& entry : file.entries) {
        const bool known =
            entry.section.empty() || std::find(sections.begin(), sections.end(), entry.section) != sections.end();
        if (!known) {
            throw Error(ErrorKind::usage, "unknown section", file.location_of(entry),
                        suggestion(entry.section, sections));
        }
        std::vector<Candidate> candidates;
        std::vector<std::string> keys;
        for (const Candidate& candidate : options_of(program, entry.section)) {
            keys.push_back(key_of(*candidate.option));
            if (keys.back() == entry.key) candidates.push_back(candidate);
        }
        if (candidates.empty())
            throw Error(ErrorKind::usage, "unknown option", file.location_of(entry), suggestion(entry.key, keys));
        check_type(file, entry, candidates, called);
        if (is_given(called, entry.key)) continue;
        for (const auto& [command, option] : candidates) {
            if (command == &called) set(file, entry, *option);
        }
    }
}

void spell_options() {
    locations().clear();
    set_spelling(spell_option);
}

void apply_config(CLI::App& program, const CommonOptions& common) {
    // `--config ""` on the command line disables configuration files.
    bool chosen = false;
    for (const CLI::App* app = &called_command(program); app != nullptr; app = app->get_parent()) {
        const CLI::Option* option = app->get_option_no_throw("--config");
        chosen = chosen || (option != nullptr && option->count() > 0);
    }
    const std::string path = chosen ? common.config : default_config_path();
    if (!path.empty()) apply_config(program, read_config(path));
}

}  // namespace throng
