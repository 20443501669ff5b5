// Functions that make the rows of tables of settings.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/value_text.h"
#include "core/detect/detection_params.h"
#include "core/detect/nms_names.h"

namespace throng::setting_rows {

// Returns the field of constant or other parameters.
template <class Params, class Value>
auto& field_of(auto& params, Value Params::*field) {
    if constexpr (std::is_same_v<Params, DetectorParams>) {
        return params.detector.*field;
    } else if constexpr (std::is_same_v<Params, NmsParams>) {
        return params.nms.*field;
    } else {
        return params.*field;
    }
}

struct Range {
    double min;
    double max = std::numeric_limits<std::int32_t>::max();
};

template <class Value>
struct NumberOf {
    using Type = Value;
};
template <class Value>
struct NumberOf<std::optional<Value>> {
    using Type = Value;
};

// A row of an integer or of a floating-point number, which may be optional.
template <class Params, class Value>
SettingRow number(std::string_view name, Value Params::*field, Range range, std::string_view unit,
                  std::string_view help) {
    using Number = typename NumberOf<Value>::Type;
    SettingRow row{name, {}, unit, help, std::is_integral_v<Number> ? SettingType::whole : SettingType::real};
    row.min = range.min;
    row.max = range.max;
    row.read = [field](const DetectionParams& params) {
        const std::optional<Number> value = field_of(params, field);
        return value ? exact_text(*value) : std::string();
    };
    // Compares as the field holds the limits: the float next to 1e-6 is less than that. NaN fails the comparisons.
    row.in_range = [field, range](const DetectionParams& params) {
        const std::optional<Number> value = field_of(params, field);
        return !value || (*value >= static_cast<Number>(range.min) && *value <= static_cast<Number>(range.max));
    };
    row.write = [field](DetectionParams& params, const std::string& text) {
        field_of(params, field) = static_cast<Number>(parse_real(text).value());
    };
    return row;
}

// A row of an enumeration, with the table of its names.
template <class Params, class Choice, std::size_t kSize>
SettingRow choice(std::string_view name, Choice Params::*field, ChoiceNames<Choice, kSize> names,
                  std::string_view help) {
    SettingRow row{name, {}, {}, help, SettingType::choice};
    row.choices = words_of(names);
    row.read = [field, &names](const DetectionParams& params) {
        return std::string(name_of(names, field_of(params, field)));
    };
    row.write = [field, &names](DetectionParams& params, const std::string& text) {
        field_of(params, field) = choice_of(names, text).value();
    };
    return row;
}

template <class Params>
SettingRow text(std::string_view name, std::string Params::*field, std::string_view unit, std::string_view help) {
    SettingRow row{name, {}, unit, help};
    row.read = [field](const DetectionParams& params) { return field_of(params, field); };
    row.write = [field](DetectionParams& params, const std::string& text) { field_of(params, field) = text; };
    return row;
}

template <class Params>
SettingRow flag(std::string_view name, bool Params::*field, std::string_view help) {
    SettingRow row{name, {}, {}, help, SettingType::flag};
    row.choices = {"true", "false"};
    row.read = [field](const DetectionParams& params) { return field_of(params, field) ? "true" : "false"; };
    row.write = [field](DetectionParams& params, const std::string& text) { field_of(params, field) = text == "true"; };
    return row;
}

template <class Params>
SettingRow pairs(std::string_view name, std::map<std::string, std::string> Params::*field, std::string_view help) {
    SettingRow row{name, {}, "ID=CHOICE", help, SettingType::pairs};
    row.read = [field](const DetectionParams& params) {
        std::string all;
        for (const auto& [id, value] : field_of(params, field)) all += (all.empty() ? "" : ",") + id + "=" + value;
        return all;
    };
    row.write = [field](DetectionParams& params, const std::string& text) {
        const std::size_t equals = text.find('=');
        field_of(params, field)[text.substr(0, equals)] = text.substr(equals + 1);
    };
    return row;
}

// Puts the rows into a group of options.
inline std::vector<SettingRow> in_group(std::string_view group, std::vector<SettingRow> rows) {
    for (SettingRow& row : rows) row.group = group;
    return rows;
}

}  // namespace throng::setting_rows
