// Values of options that are rows of a table of settings.
#pragma once

#include "app/options/command_line.h"
#include "core/detect/detection_params.h"

namespace throng {

// Accepts what the row accepts, which must live as long as the command line.
[[nodiscard]] inline ValueCheck value_of_row(const SettingRow& row) {
    if (row.type == SettingType::text) return not_empty();
    if (row.type == SettingType::choice) return one_of(row.choices);
    return {[&row](const std::string& text) { return row.problem(text).text(); }};
}

}  // namespace throng
