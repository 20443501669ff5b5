#include "core/clocks/profile.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/toml_depth.h"

namespace throng {
namespace {

constexpr std::uintmax_t kMaxProfile = 1 << 20;

[[noreturn]] void reject(const std::string& file, const toml::node& node, std::string_view key, const Message& problem,
                         const Message& advice = {}) {
    throw Error(ErrorKind::usage, problem, fmt::format("{}:{}: {}", file, node.source().begin.line, key), advice);
}

// "612 MHz", "1.3 GHz", "921600000 Hz"
std::optional<Hertz> parse_frequency(std::string_view text) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !(value > 0)) return std::nullopt;
    std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    double scale = 0;
    if (unit == "Hz") scale = 1;
    if (unit == "kHz") scale = 1e3;
    if (unit == "MHz") scale = 1e6;
    if (unit == "GHz") scale = 1e9;
    if (scale == 0 || value * scale > 1e12) return std::nullopt;
    return std::llround(value * scale);
}

ClockTarget parse_target(const std::string& file, std::string_view key, const toml::node& node) {
    const std::string advice =
        "use a fraction from 0 to 1, automatic, minimum, maximum, or a frequency such as \"612 MHz\"";
    if (const auto number = node.value<double>(); number && node.is_number()) {
        if (!(*number >= 0 && *number <= 1)) reject(file, node, key, "must lie in [0, 1]", advice);
        return Fraction{*number};
    }
    const auto text = node.value<std::string_view>();
    if (!text) reject(file, node, key, "must be a number or a string", advice);
    if (*text == "automatic") return Automatic{};
    if (*text == "minimum") return Fraction{0};
    if (*text == "maximum") return Fraction{1};
    if (const auto hertz = parse_frequency(*text)) return Fixed{*hertz};
    reject(file, node, key, fmt::format("\"{}\" is not a valid clock", *text), advice);
}

std::string parse_text(const std::string& file, std::string_view key, const toml::node& node) {
    const auto text = node.value<std::string>();
    if (!text || text->empty()) reject(file, node, key, "must be a non-empty string");
    return *text;
}

bool is_id(std::string_view id) {
    return !id.empty() && std::all_of(id.begin(), id.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

ClockProfile parse_profile(const std::string& file, const toml::table& table) {
    ClockProfile profile;
    bool has_gpu = false;
    for (const auto& [key, node] : table) {
        const std::string_view name = key.str();
        if (name == "id") {
            profile.id = parse_text(file, name, node);
        } else if (name == "name") {
            profile.name = parse_text(file, name, node);
        } else if (name == "gpu") {
            profile.gpu = parse_target(file, name, node);
            has_gpu = true;
        } else if (name == "cpu") {
            profile.cpu = parse_target(file, name, node);
        } else if (name == "memory") {
            profile.memory = parse_target(file, name, node);
        } else if (name == "cpu_governor") {
            profile.cpu_governor = parse_text(file, name, node);
        } else if (name == "cpu_cluster") {
            profile.cpu_cluster = parse_text(file, name, node);
            if (profile.cpu_cluster != "G" && profile.cpu_cluster != "LP") reject(file, node, name, "must be G or LP");
        } else {
            reject(file, node, name, "unknown key",
                   "a profile has id, name, gpu, cpu, cpu_governor, cpu_cluster and memory");
        }
    }
    if (!is_id(profile.id)) reject(file, table, "id", "a profile needs an id of letters, digits, '-' and '_'");
    if (!has_gpu) reject(file, table, "gpu", "a profile needs a GPU clock");
    if (profile.name.empty()) profile.name = profile.id;
    return profile;
}

}  // namespace

std::vector<ClockProfile> default_profiles() {
    const auto make = [](const char* id, const char* name, ClockTarget gpu) {
        ClockProfile profile;
        profile.id = id;
        profile.name = name;
        profile.gpu = gpu;
        return profile;
    };
    // fanless is an estimate for passive cooling, not measured on a board. A profile file can replace it.
    return {make("automatic", "Automatic", Automatic{}), make("minimum", "Minimum", Fraction{0}),
            make("p25", "25 %", Fraction{0.25}),         make("p50", "50 %", Fraction{0.5}),
            make("p75", "75 %", Fraction{0.75}),         make("maximum", "Maximum", Fraction{1}),
            make("fanless", "Fanless", Fraction{0.4})};
}

std::vector<ClockProfile> parse_profiles(std::string_view text, const std::string& file) {
    const toml::table root = parse_toml(text, file, "see configs/clock-profiles.toml for an example");
    std::vector<ClockProfile> profiles = default_profiles();
    std::set<std::string> seen;
    for (const auto& [key, node] : root) {
        const toml::array* tables = node.as_array();
        if (key.str() != "profile" || tables == nullptr) {
            reject(file, node, key.str(), "unknown key", "profiles are written as [[profile]] tables");
        }
        for (const toml::node& entry : *tables) {
            if (!entry.is_table()) reject(file, entry, "profile", "must be a table");
            ClockProfile profile = parse_profile(file, *entry.as_table());
            if (!seen.insert(profile.id).second) reject(file, entry, "id", "duplicate id \"" + profile.id + "\"");
            const auto same = std::find_if(profiles.begin(), profiles.end(),
                                           [&](const ClockProfile& other) { return other.id == profile.id; });
            if (same == profiles.end()) {
                profiles.push_back(std::move(profile));
            } else {
                *same = std::move(profile);
            }
        }
    }
    return profiles;
}

std::vector<ClockProfile> load_profiles(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        throw Error(ErrorKind::input, "cannot read the clock profiles", path.string(), "check the path");
    }
    ReadOptions options;
    options.what = "file of clock profiles";
    options.max_bytes = kMaxProfile;
    return parse_profiles(read_file(path, options), path.string());
}

std::optional<std::pair<Hertz, Hertz>> resolve(const ClockTarget& target, const std::vector<Hertz>& steps) {
    if (steps.empty()) return std::nullopt;
    if (const auto* fixed = std::get_if<Fixed>(&target)) {
        if (!std::binary_search(steps.begin(), steps.end(), fixed->hertz)) return std::nullopt;
        return std::pair{fixed->hertz, fixed->hertz};
    }
    if (const auto* fraction = std::get_if<Fraction>(&target)) {
        const double requested = fraction->of_max * static_cast<double>(steps.back());
        const auto nearest = std::min_element(steps.begin(), steps.end(), [requested](Hertz a, Hertz b) {
            return std::abs(static_cast<double>(a) - requested) < std::abs(static_cast<double>(b) - requested);
        });
        return std::pair{*nearest, *nearest};
    }
    return std::nullopt;
}

}  // namespace throng
