// Clock profiles: named clock targets that are resolved to the steps of the board.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/clocks/board_clock.h"

namespace throng {

struct Automatic {};  // the board's own governor over its whole range
struct Fraction {
    double of_max = 1;
};  // the step nearest to this fraction of the highest one; 0 is the lowest step
struct Fixed {
    Hertz hertz = 0;
};  // exactly this step
using ClockTarget = std::variant<Automatic, Fraction, Fixed>;

struct ClockProfile {
    std::string id;    // "p50": letters, digits, '-' and '_'
    std::string name;  // "50 %"
    ClockTarget gpu = Automatic{};
    std::optional<ClockTarget> cpu;     // absent: the CPU clock is not changed
    std::string cpu_governor;           // empty: not changed
    std::optional<ClockTarget> memory;  // absent: the memory clock is not changed
    std::string cpu_cluster;            // T124 only: "G" or "LP"; empty: not changed
};

// automatic, minimum, p25, p50, p75, maximum, fanless.
[[nodiscard]] std::vector<ClockProfile> default_profiles();

// The defaults, changed and extended by the [[profile]] tables of a TOML file:
//     id = "p40"   name = "40 %"   gpu = 0.4   (or "automatic", "minimum", "maximum", "612 MHz")
//     cpu = …      cpu_governor = "userspace"  cpu_cluster = "LP"      memory = "maximum"
// Throws Error(usage) with file:line and key for unknown keys and invalid values, Error(input) for a file that cannot
// be read.
[[nodiscard]] std::vector<ClockProfile> load_profiles(const std::filesystem::path& file);
[[nodiscard]] std::vector<ClockProfile> parse_profiles(std::string_view toml, const std::string& file_name);

// Returns the range of a target on a board with these steps (ascending). Returns nothing for Automatic, for empty
// steps, and for a Fixed value that is not a step.
[[nodiscard]] std::optional<std::pair<Hertz, Hertz>> resolve(const ClockTarget& target,
                                                             const std::vector<Hertz>& steps);

}  // namespace throng
