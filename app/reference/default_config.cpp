#include "app/reference/default_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "core/base/value_text.h"
#include "core/detect/detection_params.h"

namespace throng {
namespace {

constexpr const char* kConfigHead =
    R"(# Every option that a configuration file may set for `throng view`, `detect` and `anonymize`, with its default.
# throng-reference writes this file.
#
#     throng detect crowd.mp4 --config configs/default.toml
#
# Without --config, $XDG_CONFIG_HOME/throng/config.toml (or ~/.config/throng/config.toml) is read if it exists;
# --config "" reads none. The command line overrides the file.
#
# Keys are the long options without the dashes. A key at the top of the file, or in the section of its group as below,
# applies to every command that has the option. A section named after a command ([view], [detect], [anonymize],
# [crowd], [bench]) sets options of that command only. An unknown key or a value of the wrong type is an error with the
# line number. What has no default, or one that depends on the detector or the command, is commented out,
# and so is what replaces the default of another option.
)";
constexpr std::string_view kCommands[] = {"view", "detect", "anonymize"};
constexpr std::string_view kNotInFiles[] = {"--help", "--config"};
// Options that replace the default of another one where they are given, whatever their value.
constexpr std::string_view kReplaceDefaults[] = {"--min-hits"};

// An option of one or more commands.
struct ConfigLine {
    const OptionEntry* option;
    std::vector<std::string> commands;
    bool same_default = true;
};

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Returns the first value of "24; hog 128", the first number of "none; hog 0.3"; otherwise the placeholder.
std::string value_of(const OptionEntry& option) {
    if (!option.takes_value()) return "false";
    const std::string& text = option.default_value;
    const std::string first = text.substr(0, text.find(';'));
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word.ends_with(';')) word.pop_back();
        if (parse_real(word)) return word;
    }
    if (option.value == "SECONDS") return "600";
    const std::string quoted = "\"" + (text.empty() && option.choices.empty() ? option.value : first) + "\"";
    return option.repeated ? "[" + quoted + "]" : quoted;
}

// Wraps text as comments.
std::string comment(const std::string& text) {
    constexpr std::size_t kWidth = 118;
    std::string lines;
    std::string line = "#";
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (line.size() + 1 + word.size() > kWidth) lines += std::exchange(line, "#") + "\n";
        line += " " + word;
    }
    return lines + line + "\n";
}

std::string lines_of(const ConfigLine& line) {
    const OptionEntry& option = *line.option;
    const bool varies = option.default_value.find(';') != std::string::npos;
    std::string text = option.description;
    if (!option.choices.empty()) text += fmt::format(" ({})", fmt::join(option.choices, ", "));
    if (varies) text += "; default: " + option.default_value;
    const std::string& name = option.names.back();
    const bool replaces =
        std::find(std::begin(kReplaceDefaults), std::end(kReplaceDefaults), name) != std::end(kReplaceDefaults);
    const bool has_value = !option.default_value.empty() && !varies && line.same_default && !replaces;
    const bool set = !option.takes_value() || has_value;
    return "\n" + comment(text) + fmt::format("{}{} = {}\n", set ? "" : "# ", name.substr(2), value_of(option));
}

}  // namespace

std::string default_config(const CommandEntry& top) {
    std::vector<std::pair<std::string, std::string>> order;  // group and name of each option
    std::map<std::pair<std::string, std::string>, ConfigLine> lines;
    for (const CommandEntry& command : top.commands) {
        const std::string& name = command.path.back();
        if (std::find(std::begin(kCommands), std::end(kCommands), name) == std::end(kCommands)) continue;
        for (const OptionEntry& option : command.options) {
            const bool left_out =
                std::find(std::begin(kNotInFiles), std::end(kNotInFiles), option.names.back()) != std::end(kNotInFiles);
            if (option.positional || left_out) continue;
            const std::pair key(lower_case(option.group), option.names.back());
            const auto [found, is_new] = lines.try_emplace(key, ConfigLine{&option, {}});
            if (is_new) order.push_back(key);
            found->second.commands.push_back(name);
            found->second.same_default &= found->second.option->default_value == option.default_value;
        }
    }
    // Sections in the order of their first option; those of commands follow.
    std::vector<std::pair<std::string, std::string>> sections;
    const auto add = [&](const std::string& section, const std::string& text) {
        auto found = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.first == section; });
        if (found == sections.end()) found = sections.insert(found, {section, "\n[" + section + "]\n"});
        found->second += text;
    };
    for (const bool of_one : {false, true}) {
        for (const auto& key : order) {
            const ConfigLine& line = lines.at(key);
            if ((line.commands.size() == 1) == of_one) add(of_one ? line.commands.front() : key.first, lines_of(line));
        }
    }
    std::string text = kConfigHead;
    for (const auto& [section, options] : sections) text += options;
    return text;
}

std::string python_settings() {
    std::string text =
        "# Keywords of Detector and Pipeline. throng-reference writes this file.\n"
        "from os import PathLike\nfrom typing import Literal, TypedDict\n\n";
    std::string rows;
    for (const auto* table : {&detector_settings(), &nms_settings()}) {
        for (const SettingRow& row : *table) {
            const std::string choices = fmt::format("Literal[\"{}\"]", fmt::join(row.choices, "\", \""));
            if (row.name == "detector") {  // a parameter of its own
                text += "Kind = " + choices + "\n\n";
                continue;
            }
            const char* type = "str";
            if (row.type == SettingType::whole) type = "int";
            if (row.type == SettingType::real) type = "float";
            if (row.type == SettingType::flag) type = "bool";
            if (row.type == SettingType::text) type = "str | PathLike[str]";
            if (row.type == SettingType::pairs) type = "dict[str, str]";
            rows += fmt::format("    {}: {} | None\n", row.name, row.type == SettingType::choice ? choices : type);
        }
    }
    return text + "class Settings(TypedDict, total=False):\n" + rows;
}

}  // namespace throng
