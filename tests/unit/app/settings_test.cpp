// Every row of the table of settings, with every kind of wrong value: one wording, and the name as its users know it. A
// new row is covered by itself.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "app/options/command_line.h"
#include "app/options/common.h"
#include "app/options/config_options.h"
#include "app/options/detection_options.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "core/base/value_text.h"
#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

std::vector<const SettingRow*> all_settings() {
    std::vector<const SettingRow*> all;
    for (const auto* rows : {&detector_settings(), &nms_settings()}) {
        for (const SettingRow& row : *rows) all.push_back(&row);
    }
    return all;
}

std::vector<std::string> wrong_texts(const SettingRow& row) {
    switch (row.type) {
        case SettingType::whole:
        case SettingType::real:
            return {"nan",
                    "-nan",
                    "inf",
                    "-inf",
                    "1e300",
                    "",
                    " ",
                    "1x",
                    "0x1p4",
                    ",",
                    std::to_string(row.max + 1),
                    std::to_string(row.min - 1)};
        case SettingType::choice: return {"", "none?", row.choices.front() + " "};
        case SettingType::flag: return {"", "yes", "True"};
        case SettingType::pairs: return {"", "x", "=x", "x="};
        case SettingType::text: break;
    }
    return {};
}

std::vector<std::string> right_texts(const SettingRow& row) {
    switch (row.type) {
        case SettingType::whole:
            return {std::to_string(static_cast<std::int64_t>(row.min)),
                    std::to_string(static_cast<std::int64_t>(row.max))};
        case SettingType::real: return {exact_text(row.min), exact_text(row.max)};
        case SettingType::pairs: return {"a=b"};
        case SettingType::text: return {"a=b", ""};
        case SettingType::choice:
        case SettingType::flag: break;
    }
    std::vector<std::string> choices = row.choices;
    std::erase(choices, kAutoDetector);  // which is resolved before it is written
    return choices;
}

// The program that other tests run sets the spelling of messages.
std::string spelled(const SettingRow& row) {
    return Message(Setting{row.name}).text();
}

// Returns the text of the error; empty: there is none.
template <class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return {};
}

class Settings : public testing::Test {
protected:
    Settings() {
        CLI::App& command = *program_.add_subcommand("detect");
        add_settings(command, options_, detector_settings());
        add_settings(command, options_, nms_settings());
        add_common_options(program_, common_);
    }
    void parse(std::vector<std::string> arguments) {
        arguments.push_back("detect");
        try {
            program_.parse(arguments);
        } catch (const CLI::ParseError& error) {
            throw usage_error(program_, error);
        }
    }

    CLI::App program_{"", "throng"};
    CommonOptions common_;
    DetectionOptions options_;
};

TEST_F(Settings, NamesAreUniqueAndHelpIsThere) {
    for (const SettingRow* row : all_settings()) {
        SCOPED_TRACE(std::string(row->name));
        EXPECT_EQ(find_setting(row->name), row);
        EXPECT_FALSE(row->group.empty());
        EXPECT_TRUE(!row->help.empty() || row->name == "detector");
    }
    EXPECT_EQ(find_setting("min-size"), nullptr);
}

TEST_F(Settings, EveryWrongValueIsRejectedInOneWording) {
    for (const SettingRow* row : all_settings()) {
        for (const std::string& text : wrong_texts(*row)) {
            SCOPED_TRACE(std::string(row->name) + "=" + text);
            const std::string problem = row->problem(text).text();
            ASSERT_TRUE(problem.starts_with("must ") && problem.ends_with(", not \"" + text + "\"")) << problem;
            const std::string key = key_of_setting(row->name);
            ChosenSettings chosen;
            EXPECT_EQ(error_of([&] { chosen.set(row->name, text); }), spelled(*row) + ": " + problem);
            EXPECT_FALSE(chosen.contains(row->name));
            if (row->type == SettingType::flag) continue;  // CLI11 and TOML have their own values of flags
            if (!text.empty()) {
                EXPECT_EQ(error_of([&] { parse({"--" + key + "=" + text}); }),
                          "--" + key + ": " + problem + " (see throng detect --help)");
            }
            parse({});
            const std::string toml = "\n" + key + " = \"" + text + "\"\n";
            EXPECT_EQ(error_of([&] { apply_config(program_, parse_config(toml, "c.toml")); }),
                      "c.toml:2: " + key + ": " + problem);
        }
    }
}

TEST_F(Settings, EveryRightValueIsReadAsItWasWritten) {
    for (const SettingRow* row : all_settings()) {
        for (const std::string& text : right_texts(*row)) {
            SCOPED_TRACE(std::string(row->name) + "=" + text);
            EXPECT_TRUE(row->problem(text).empty()) << row->problem(text);
            DetectionParams params;
            row->write(params, text);
            const std::string written = row->read(params);
            // A number has several texts: 1e+06 and 1000000.
            EXPECT_TRUE(row->in_range ? std::stod(written) == std::stod(text) : written == text) << written;
            DetectionParams again;
            row->write(again, written);
            EXPECT_TRUE(written.empty() || again == params);
            check_ranges(detector_settings(), params);
            check_ranges(nms_settings(), params);
        }
    }
}

TEST_F(Settings, EveryDefaultOfEveryKindIsValid) {
    for (const DetectorKind& kind : detector_kinds()) {
        const DetectionParams params = default_params(kind);
        check_params(params);
        for (const SettingRow* row : all_settings()) {
            const std::string text = row->read(params);
            EXPECT_TRUE(text.empty() || row->type == SettingType::pairs || row->problem(text).empty())
                << row->name << " " << text;
        }
    }
}

TEST_F(Settings, NumbersOutOfRangeAreRejectedAlsoInTheParameters) {
    for (const SettingRow* row : all_settings()) {
        if (!row->in_range) continue;
        DetectionParams params;
        row->write(params, std::to_string(row->min - std::abs(row->min) - 1));
        const std::string text = error_of([&] { check_ranges({*row}, params); });
        EXPECT_TRUE(text.starts_with(spelled(*row) + ": must be a")) << text;
    }
}

TEST_F(Settings, UnknownNamesAreRejected) {
    ChosenSettings chosen;
    EXPECT_EQ(error_of([&] { chosen.set("min_sise", "3"); }),
              "min_sise: no setting has this name (did you mean min_size?)");
}

}  // namespace
}  // namespace throng
