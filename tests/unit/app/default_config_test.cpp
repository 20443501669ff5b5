// configs/default.toml states the actual defaults.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

#include "app/options/common.h"
#include "core/base/config.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// Compares numbers by value: 10 and 10.0 are the same default.
bool same_value(const std::string& a, const std::string& b) {
    char* end_a = nullptr;
    char* end_b = nullptr;
    const float x = std::strtof(a.c_str(), &end_a);
    const float y = std::strtof(b.c_str(), &end_b);
    const bool numbers = !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0';
    return numbers ? x == y : a == b;
}

// Expects each option of a command in the file, or in `others`. Compares the defaults of the section that has the name
// of the command, and with `shared` those of all sections that no other command has for itself.
void expect_defaults(const char* name, void (*add_command)(CLI::App&, CommandContext&), bool shared,
                     const std::vector<std::string>& others) {
    CLI::App program("", "throng");
    CommandContext context;
    add_command(program, context);
    add_common_options(program, context.common);
    const CLI::App& command = *program.get_subcommand(name);
    const ConfigFile file = read_config(test::source_dir() / "configs/default.toml");
    std::vector<std::string> named = others;
    for (const ConfigEntry& entry : file.entries) {
        const bool own = entry.section == command.get_name();
        if (!own && (entry.section == "detect" || entry.section == "anonymize")) continue;
        named.push_back(entry.key);
        if (!own && !shared) continue;
        const CLI::Option* option = command.get_option_no_throw("--" + entry.key);
        ASSERT_NE(option, nullptr) << file.location_of(entry);
        const bool flag = option->get_items_expected_max() == 0;
        EXPECT_TRUE(same_value(entry.values.front(), flag ? "false" : option->get_default_str()))
            << file.location_of(entry) << " = " << entry.values.front() << ", but the default is "
            << option->get_default_str();
    }
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& long_name : option->get_lnames()) {
            EXPECT_NE(std::find(named.begin(), named.end(), long_name), named.end())
                << "configs/default.toml lacks " << long_name;
        }
    }
}

TEST(DefaultConfig, ContainsEveryOptionOfDetectWithItsDefault) {
    // Options that are not in the file, have no default, or have a default that depends on the detector, the command or
    // the rule.
    expect_defaults("detect", add_detect_command, true,
                    {"help",       "config",   "json",     "video",        "images",
                     "summary",    "rule",     "overlap",  "theta",        "min-hits",
                     "min-size",   "max-size", "switch",   "scale-factor", "score-threshold",
                     "telemetry",  "clocks",   "profiles", "root",         "out",
                     "files-from", "shard",    "count",    "events",       "per-minute",
                     "trace",      "segment"});
}

TEST(DefaultConfig, ContainsEveryOptionOfAnonymizeWithItsDefault) {
    // Options that are commented out, or belong to one run.
    expect_defaults("anonymize", add_anonymize_command, false,
                    {"help", "config", "min-size", "max-size", "scale-factor", "score-threshold", "switch", "margin",
                     "only", "report", "regions", "out", "files-from", "shard", "keep", "hide", "review", "segment"});
}

}  // namespace
}  // namespace throng
