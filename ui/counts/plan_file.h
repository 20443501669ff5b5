// The file of lines and zones: read again, and saved without losing what another program wrote.
#pragma once

#include <optional>
#include <string>

#include "core/count/count_plan.h"

namespace throng::ui {

struct PlanText {
    CountPlan plan;
    std::string text;  // of the file
};

// Returns an empty plan if there is no such file. Throws as load_count_plan.
[[nodiscard]] PlanText read_plan_file(const std::string& path);

struct SavedPlan {
    std::string text;    // of the file now
    std::string backup;  // copy of the previous file, if it held more than the plan (comments); otherwise empty
};

// Replaces the file at once and completely. expected: its text as read or saved before; nothing: any text is replaced.
// Throws Error(input) if the file has another text, or if it or its copy cannot be written: the file is unchanged then.
[[nodiscard]] SavedPlan save_plan_file(const std::string& path, const CountPlan& plan,
                                       const std::optional<std::string>& expected);

}  // namespace throng::ui
