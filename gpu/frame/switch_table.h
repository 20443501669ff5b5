// The switches of a detector as a table: what each is called, and the option that it sets.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/detect/detector_switch.h"

namespace throng::gpu {

struct SwitchText {
    std::string id, title, help;
    std::vector<std::string> choices;  // the first is the default
};

template <class Options>
struct SwitchRow {
    SwitchText text;
    std::string (*get)(const SwitchText& text, const Options& options);
    bool (*set)(const SwitchText& text, Options& options, const std::string& choice);  // false: no such choice
};

template <class Options>
using SwitchTable = std::vector<SwitchRow<Options>>;

// The row of an option: a flag that the first of two choices sets, or an enumeration in the order of the choices.
template <auto kOption, class Options, class Value>
SwitchRow<Options> switch_row_of(SwitchText text, Value Options::*) {
    constexpr bool kFlag = std::is_same_v<Value, bool>;
    return {std::move(text),
            [](const SwitchText& row, const Options& options) {
                const auto value = static_cast<std::size_t>(options.*kOption);
                return row.choices[kFlag ? 1 - value : value];
            },
            [](const SwitchText& row, Options& options, const std::string& choice) {
                const auto found = std::find(row.choices.begin(), row.choices.end(), choice);
                const auto number = static_cast<std::size_t>(found - row.choices.begin());
                if (found != row.choices.end()) options.*kOption = static_cast<Value>(kFlag ? 1 - number : number);
                return found != row.choices.end();
            }};
}
template <auto kOption>
auto switch_row(SwitchText text) {
    return switch_row_of<kOption>(std::move(text), kOption);
}

// The row that all detectors have.
template <auto kOption>
auto graph_switch() {
    return switch_row<kOption>({"graph",
                                "CUDA graph",
                                "A frame's launches, up to the copy of its detections, are replayed with one call, "
                                "except where stages are measured.",
                                {"on", "off"}});
}

// Returns every switch with its current choice. A choice that is not in the table is listed once it is selected.
template <class Options>
std::vector<DetectorSwitch> describe(const SwitchTable<Options>& table, const Options& options) {
    std::vector<DetectorSwitch> switches;
    for (const auto& [text, get, set] : table) {
        DetectorSwitch each{text.id, text.title, text.help, text.choices, get(text, options)};
        const bool listed = std::find(each.choices.begin(), each.choices.end(), each.chosen) != each.choices.end();
        if (!listed) each.choices.push_back(each.chosen);
        switches.push_back(std::move(each));
    }
    return switches;
}

// Returns `defaults` with the named choices applied. Throws Error(usage) for an unknown id or choice.
template <class Options>
Options with_choices(const SwitchTable<Options>& table, Options defaults,
                     const std::map<std::string, std::string>& choices) {
    for (const auto& [id, choice] : choices) {
        const auto row =
            std::find_if(table.begin(), table.end(), [&id = id](const auto& each) { return each.text.id == id; });
        if (row == table.end()) {
            std::vector<std::string> ids;
            for (const auto& each : table) ids.push_back(each.text.id);
            throw Error(ErrorKind::usage, "unknown detector switch", Setting{"switch", id},
                        fmt::format("use one of {}", fmt::join(ids, ", ")));
        }
        if (!row->set(row->text, defaults, choice)) {
            throw Error(ErrorKind::usage, "unknown choice", Setting{"switch", id + "=" + choice},
                        fmt::format("use one of {}", fmt::join(row->text.choices, ", ")));
        }
    }
    return defaults;
}

}  // namespace throng::gpu
