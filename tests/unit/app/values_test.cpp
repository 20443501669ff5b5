// Every numeric option rejects values that are not numbers, and numbers that are out of range.
#include "app/options/command_line.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/options/common.h"
#include "app/options/config_options.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "tests/support/program/program.h"

namespace throng {
namespace {

// A command line parser with all commands, as in the program.
struct Parser {
    CLI::App program{"", "throng"};
    CommandContext context;

    Parser() {
        for (const auto add : {add_view_command, add_detect_command, add_anonymize_command, add_merge_command,
                               add_crowd_command, add_nms_command, add_bench_command, add_eval_command,
                               add_experiments_command, add_clocks_command, add_models_command, add_info_command}) {
            add(program, context);
        }
        add_common_options(program, context.common);
    }
};

// Returns the error message; empty if the value is accepted.
std::string message_for(const std::string& command, const std::string& option, const std::string& value) {
    static const std::map<std::string, std::vector<std::string>> kPositionals = {
        {"detect", {"a.mp4"}},
        {"anonymize", {"a.mp4", "--out", "b.mp4"}},
        {"crowd", {"a.png"}},
        {"nms", {"a.csv"}},
        {"merge", {"a"}},
        {"bench pipeline", {"a.mp4"}},
        {"eval", {"a", "b"}},
        {"experiments run", {"fig8"}},
        {"models fetch", {"yunet"}},
        {"clocks set", {"minimum"}},
    };
    std::vector<std::string> arguments;
    for (std::size_t begin = 0; begin < command.size();) {
        const std::size_t end = std::min(command.find(' ', begin), command.size());
        arguments.push_back(command.substr(begin, end - begin));
        begin = end + 1;
    }
    if (const auto found = kPositionals.find(command); found != kPositionals.end()) {
        arguments.insert(arguments.end(), found->second.begin(), found->second.end());
    }
    if (option == "--shown-score" || option == "--delay") arguments.emplace_back("--leaks");  // which they require
    // Passes an empty value as a separate argument: CLI11 accepts --option= without a value.
    arguments.push_back(value.empty() ? option : option + "=" + value);
    if (value.empty()) arguments.emplace_back();
    static Parser parser;  // parse() clears what the call before it left; making one takes far longer
    std::reverse(arguments.begin(), arguments.end());
    try {
        parser.program.parse(arguments);
    } catch (const CLI::ParseError& error) {
        return usage_error(parser.program, error).what();
    }
    return {};
}

void collect_commands(const CLI::App& app, const std::string& path, std::map<std::string, const CLI::App*>& commands) {
    const auto below = app.get_subcommands([](const CLI::App*) { return true; });
    if (below.empty()) commands.emplace(path, &app);
    for (const CLI::App* command : below) {
        collect_commands(*command, path.empty() ? command->get_name() : path + " " + command->get_name(), commands);
    }
}

// The special values that an option accepts. It must reject all values in kBad.
struct Accepts {
    bool zero = false;
    bool minus_one = false;
    bool tiny = false;  // 1e-300
};

// By option name, for all commands: the same option of several commands accepts the same values.
const std::map<std::string, Accepts> kNumbers = {
    {"--device", {true}},
    {"--frames", {true}},
    {"--open-timeout", {}},
    {"--read-timeout", {}},
    {"--reconnects", {true, true}},
    {"--streams", {true}},
    {"--min-size", {}},
    {"--max-size", {true}},
    {"--scale-factor", {}},
    {"--score-threshold", {true, true, true}},
    {"--threads", {true}},
    {"--theta", {true, false, true}},
    {"--min-hits", {}},
    {"--min-confidence", {true, false, true}},
    {"--sigma", {}},
    {"--score-min", {true, true, true}},
    {"--feature-low", {true, false, true}},
    {"--feature-high", {true, false, true}},
    {"--feature-distance", {true, false, true}},
    {"--paper-k", {}},
    {"--capacity", {true}},
    {"--memory", {true}},
    {"--segment", {}},
    {"--screenshot-after", {}},
    {"--faces", {true}},
    {"--fps", {}},
    {"--seed", {true}},
    {"--uncover", {true}},
    {"--repeat", {true}},
    {"--n", {}},
    {"--cluster", {}},
    {"--cold", {true}},
    {"--spare", {true}},
    {"--iou", {true, false, true}},
    {"--budget", {}},
    {"--speed", {}},
    {"--keep-rate", {true, false, true}},
    {"--shown-score", {true, true, true}},
    {"--delay", {true}},
    {"--margin", {true, false, true}},
    {"--quality", {true}},
};
// Options that accept other values in some commands.
const std::map<std::string, Accepts> kNumbersOfCommands = {
    {"bench pipeline --streams", {}}, {"bench cascade --repeat", {}},           {"bench hog --repeat", {}},
    {"bench cnn --repeat", {}},       {"eval --min-size", {true, false, true}},
};

// Paths, names and sizes. The commands check sizes.
const std::set<std::string> kTexts = {"--config",
                                      "--backend",
                                      "--log-level",
                                      "--decoder",
                                      "--detector",
                                      "--model",
                                      "--switch",
                                      "--rule",
                                      "--overlap",
                                      "--merge",
                                      "--pair",
                                      "--pixels",
                                      "--ties",
                                      "--kernels",
                                      "--json",
                                      "--video",
                                      "--images",
                                      "--clocks",
                                      "--telemetry",
                                      "--profiles",
                                      "--root",
                                      "--size",
                                      "--window-size",
                                      "--screenshot",
                                      "--truth",
                                      "--out",
                                      "--input",
                                      "--csv",
                                      "--image",
                                      "--parts",
                                      "--rank",
                                      "--photos",
                                      "--source",
                                      "--to",
                                      "--from",
                                      "--certificates",
                                      "--summary",
                                      "--order",
                                      "--setting",
                                      "--audio",
                                      "--compare",
                                      "--invalid",
                                      "--files-from",
                                      "--shard",
                                      "--progress",
                                      "--failures",
                                      "--motion",
                                      "--count",
                                      "--events",
                                      "--per-minute",
                                      "--occupancy",
                                      "--what",
                                      "--mqtt",
                                      "--mqtt-password",
                                      "--push",
                                      "--http",
                                      "--http-token-file",
                                      "--http-certificate",
                                      "--http-key",
                                      "--sizes",
                                      "--probe-encoder",
                                      "--style",
                                      "--report",
                                      "--regions",
                                      "--encoder",
                                      "--only",
                                      "--keep",
                                      "--trace",
                                      "--scenes",
                                      "--kiosk-exit",
                                      "--hide",
                                      "--review",
                                      "--plot",
                                      "--language",
                                      "--relink"};

const char* const kBad[] = {"nan", "-nan", "inf", "-inf", "1e300", "", " ", "99999999999999999999", "1x", "0x1p4", ","};

TEST(Values, NoNumericOptionAcceptsOtherText) {
    const Parser parser;
    std::map<std::string, const CLI::App*> commands;
    collect_commands(parser.program, {}, commands);
    std::set<std::string> tried;  // options with the same checks are tried once
    for (const auto& [path, command] : commands) {
        for (const CLI::Option* option : command->get_options([](const CLI::Option*) { return true; })) {
            if (option->get_lnames().empty() || option->get_items_expected_max() == 0) continue;
            const std::string name = "--" + option->get_lnames().front();
            if (kTexts.count(name) != 0) continue;
            const auto own = kNumbersOfCommands.find(path + " " + name);
            const auto shared = kNumbers.find(name);
            ASSERT_TRUE(own != kNumbersOfCommands.end() || shared != kNumbers.end())
                << path << " " << name << " is in none of the lists of this test";
            const bool is_own = own != kNumbersOfCommands.end();
            const Accepts& accepts = is_own ? own->second : shared->second;
            const std::string type = option->get_type_name();
            if (!tried.insert((is_own ? path + " " : "") + name + type).second) continue;
            const auto expect_rejected = [&](const std::string& value) {
                const std::string message = message_for(path, name, value);
                EXPECT_NE(message, "") << path << " " << name << "=" << value << " is accepted";
                EXPECT_NE(message.find(name), std::string::npos)
                    << path << " " << name << "=" << value << ": " << message;
            };
            for (const char* bad : kBad) expect_rejected(bad);
            const auto expect = [&](bool accepted, const std::string& value) {
                if (accepted) {
                    EXPECT_EQ(message_for(path, name, value), "") << path << " " << name << "=" << value;
                } else {
                    expect_rejected(value);
                }
            };
            expect(accepts.zero, "0");
            expect(accepts.minus_one, "-1");
            expect(accepts.tiny, "1e-300");
        }
    }
    EXPECT_GT(tried.size(), 30U);
}

// A variable of a script may be empty: the run must not go on without the output, or read the next argument as its name.
TEST(Values, NoOptionAcceptsAnEmptyText) {
    const Parser parser;
    std::map<std::string, const CLI::App*> commands;
    collect_commands(parser.program, {}, commands);
    for (const auto& [path, command] : commands) {
        for (const CLI::Option* option : command->get_options([](const CLI::Option*) { return true; })) {
            if (option->get_lnames().empty() || option->get_items_expected_max() == 0) continue;
            const std::string name = "--" + option->get_lnames().front();
            EXPECT_EQ(message_for(path, name, "").empty(), name == "--config") << path << " " << name;
        }
    }
    for (const std::string option : {"--json", "--out", "--model", "--clocks", "--count"}) {
        EXPECT_EQ(message_for("detect", option, ""), option + ": must not be empty (see throng detect --help)");
    }
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"detect", ""},
                                                      {"view", ""},
                                                      {""},
                                                      {"merge", ""},
                                                      {"crowd", ""},
                                                      {"nms", ""},
                                                      {"anonymize", "", "--out", "x"},
                                                      {"eval", "", "x"},
                                                      {"eval", "x", ""},
                                                      {"bench", "pipeline", ""},
                                                      {"export", "", "--format", "coco", "--out", "x"},
                                                      {"export", "x", "--format", "coco", "--out="},
                                                      {"detect", "--json=", "crowd:faces=1"},
                                                      {"detect", "crowd:faces=1", "--json="}}) {
        const test::ProgramResult result = test::run_program(arguments);
        EXPECT_EQ(result.status, 2) << arguments[0] << result.err;
        EXPECT_NE(result.err.find("must not be empty"), std::string::npos) << arguments[0] << result.err;
    }
    EXPECT_EQ(test::run_program({"info", "--config="}).status, 0);
}

TEST(Values, FlagsTakeTrueOrFalseOnly) {
    const Parser parser;
    std::map<std::string, const CLI::App*> commands;
    collect_commands(parser.program, {}, commands);
    std::set<std::string> tried;
    for (const auto& [path, command] : commands) {
        for (const CLI::Option* option : command->get_options([](const CLI::Option*) { return true; })) {
            if (option->get_lnames().empty() || option->get_items_expected_max() != 0) continue;
            const std::string name = "--" + option->get_lnames().front();
            if (name == "--help" || name == "--version" || !tried.insert(name).second) continue;
            for (const std::string value : {"x", "abc", "7x", "99999999999999999999", "2"}) {
                EXPECT_NE(message_for(path, name, value).find("must be one of true, false"), std::string::npos)
                    << path << " " << name << "=" << value;
            }
        }
    }
    EXPECT_GT(tried.size(), 20U);
    for (const std::string value : {"true", "false"}) EXPECT_EQ(message_for("detect", "--half", value), "");
}

TEST(Values, SeedsHave64Bits) {
    for (const std::string command : {"crowd", "bench nms"}) {
        EXPECT_EQ(message_for(command, "--seed", "18446744073709551615"), "") << command;
        EXPECT_NE(message_for(command, "--seed", "18446744073709551616"), "") << command;
        EXPECT_NE(message_for(command, "--seed", "-1"), "") << command;
    }
    EXPECT_NE(message_for("detect", "--frames", "9223372036854775808"), "");
    EXPECT_EQ(message_for("detect", "--frames", "9223372036854775807"), "");
}

TEST(Values, MessagesNameTheOptionAndTheRange) {
    EXPECT_EQ(message_for("nms", "--sigma", "1e300"),
              "--sigma: must be a number from 1e-06 to 1e+06, not \"1e300\" (see throng nms --help)");
    EXPECT_EQ(message_for("bench nms", "--paper-k", "0"),
              "--paper-k: must be a whole number from 1 to 64, not \"0\" (see throng bench nms --help)");
    EXPECT_EQ(message_for("bench pipeline", "--parts", "bogus"),
              "--parts: must be one of decode, detect, both, not \"bogus\" (see throng bench pipeline --help)");
    EXPECT_EQ(message_for("eval", "--rank", "bogus"),
              "--rank: must be one of confidence, score, hits, score*hits, not \"bogus\" (see throng eval --help)");
}

TEST(Values, ListsHaveNoEmptyElements) {
    for (const std::string value : {"1,,2", ",1", "1,", ",", ""}) {
        EXPECT_NE(message_for("bench nms", "--n", value), "") << value;
        EXPECT_NE(message_for("bench pipeline", "--streams", value), "") << value;
    }
    for (const std::string option : {"--theta", "--rule", "--overlap", "--kernels", "--paper-k", "--capacity",
                                     "--cluster", "--order", "--setting"}) {
        EXPECT_NE(message_for("bench nms", option, ","), "") << option;
    }
    EXPECT_NE(message_for("bench cnn", "--size", "64x64,,64x64"), "");
    EXPECT_NE(message_for("bench pipeline", "--parts", "decode,"), "");
    EXPECT_NE(message_for("bench nms", "--theta", "0.3,nan"), "");
    EXPECT_EQ(message_for("bench nms", "--theta", "0.3,0.5"), "");
    EXPECT_EQ(message_for("bench nms", "--n", "1027"), "");
}

TEST(Values, LeadingZerosAreRejected) {
    EXPECT_NE(message_for("info", "--device", "010"), "");
    EXPECT_NE(message_for("bench nms", "--n", "010"), "");
    EXPECT_EQ(message_for("info", "--device", "0"), "");
    EXPECT_EQ(message_for("info", "--device", "+5"), "");
    EXPECT_EQ(message_for("nms", "--theta", "0.5"), "");
}

TEST(Values, ConfigurationFilesGetTheSameChecks) {
    for (const char* line : {"theta = nan", "sigma = 1e300", "open-timeout = inf", "capacity = -1", "frames = -1",
                             "score-min = \"\"", "min-hits = 99999999999"}) {
        Parser parser;
        parser.program.parse(std::vector<std::string>{"a.mp4", "detect"});
        try {
            apply_config(parser.program, parse_config(line, "c.toml"));
            ADD_FAILURE() << "accepted " << line;
        } catch (const Error& error) {
            EXPECT_EQ(error.where().text().rfind("c.toml:1: ", 0), 0U) << error.what();
        }
    }
}

TEST(Values, SettingsThatCannotBeMeasuredAreRejected) {
    const test::ProgramResult result =
        test::run_program({"bench", "nms", "--n", "10", "--kernels", "paper", "--backend", "cpu"});
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_NE(result.err.find("--kernels paper"), std::string::npos) << result.err;
}

TEST(Values, AnEmptySizeIsRejected) {
    const test::ProgramResult result = test::run_program({"crowd", "/nonexistent/a.png", "--size", ""});
    EXPECT_EQ(result.status, 2) << result.err;
}

}  // namespace
}  // namespace throng
