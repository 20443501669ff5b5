// Options of the same name in several commands, and every line of configs/default.toml.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "app/options/common.h"
#include "app/options/config_options.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> default_lines() {
    std::ifstream file(test::source_dir() / "configs/default.toml");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

// Returns whether the line has the form "# key = value".
bool is_commented_out(const std::string& line) {
    return line.size() > 3 && line.compare(0, 2, "# ") == 0 && line.find(" = ") != std::string::npos &&
           line.find(' ', 2) == line.find(" = ");
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

// Returns the error message; empty if the file was applied.
std::string apply_toml(const std::string& toml, const std::vector<std::string>& arguments) {
    CLI::App program("", "throng");
    CommandContext context;
    for (const auto add : {add_view_command, add_detect_command, add_anonymize_command, add_merge_command,
                           add_crowd_command, add_nms_command, add_bench_command, add_eval_command,
                           add_experiments_command, add_clocks_command, add_models_command, add_info_command}) {
        add(program, context);
    }
    add_common_options(program, context.common);
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    try {
        apply_config(program, parse_config(toml, "c.toml"));
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

const std::vector<std::vector<std::string>> kCalls = {{"view"},         {"detect", "a.mp4"},
                                                      {"models"},       {"models", "list"},
                                                      {"info"},         {"clocks"},
                                                      {"nms", "a.csv"}, {"bench", "pipeline", "a.mp4"},
                                                      {"bench", "nms"}, {"anonymize", "a.mp4", "--out", "b.mp4"}};

// What a command requires may stand in the file; an option that is given repeatedly is a list there.
TEST(ConfigLines, AnonymizeTakesItsFilesFromTheConfiguration) {
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    ASSERT_EQ(test::run_program({"crowd", path("in.png"), "--faces", "4", "--size", "640x480"}).status, 0);
    const auto run = [&](const std::string& section, std::vector<std::string> arguments) {
        std::ofstream(path("c.toml")) << "[detector]\ndetector = \"haar\"\n[anonymize]\n" << section;
        arguments.insert(arguments.begin(), "anonymize");
        arguments.insert(arguments.end(), {"--config", path("c.toml")});
        return test::run_program(arguments);
    };
    const std::string out = "out = \"" + path("out.png") + "\"\n";
    const auto first = run(out, {path("in.png")});
    EXPECT_EQ(first.status, 0) << first.err;
    const std::string report = path("out.report.json");
    const auto kept = [&] {
        std::size_t count = 0;
        const std::string text = test::contents(report);
        for (std::size_t at = text.find("\"kept\": true"); at != std::string::npos; ++count) {
            at = text.find("\"kept\": true", at + 1);
        }
        return count;
    };
    EXPECT_EQ(kept(), 0U);
    fs::copy_file(report, path("r.json"));
    const std::string keep = "keep = [\"1@" + path("r.json") + "\", \"2@" + path("r.json") + "\"]\n";
    const auto both = run(out + keep, {path("in.png")});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_EQ(kept(), 2U);
    const auto one = run(out + "keep = \"1@" + path("r.json") + "\"\n", {path("in.png")});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(kept(), 1U);
    // Every option that names a file or a folder is known, also where it is wrong.
    const auto review = run("review = \"" + path("missing.json") + "\"\n", {});
    EXPECT_NE(review.err.find(review.status == 4 ? "window" : "missing.json"), std::string::npos) << review.err;
    EXPECT_EQ(run("style = \"solid\"\n", {path("in.png")}).status, 2) << "without --out";
    EXPECT_EQ(run(out + "style = [\"solid\", \"blur\"]\n", {path("in.png")}).status, 2) << "one value only";
}

TEST(ConfigLines, EveryLineOfTheDefaultFileWorksWhenUncommented) {
    const std::vector<std::string> lines = default_lines();
    std::vector<std::string> all = lines;
    int uncommented = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!is_commented_out(lines[i])) continue;
        ++uncommented;
        all[i] = lines[i].substr(2);
        std::vector<std::string> one = lines;
        one[i] = all[i];
        // One command for each line: all lines together go to every command below.
        const auto& call = kCalls[static_cast<std::size_t>(uncommented) % kCalls.size()];
        EXPECT_EQ(apply_toml(joined(one), call), "") << call.front() << ": " << one[i];
    }
    EXPECT_GE(uncommented, 15);
    for (const auto& call : kCalls) EXPECT_EQ(apply_toml(joined(all), call), "") << call.front();
}

TEST(ConfigLines, TheProgramAcceptsAllLinesTogether) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const test::ScratchDir dir;
    // Writes files to the folder of the test. Skips what requires another detector, a model, a board, a file, an archive or
    // a server.
    const std::set<std::string> skipped = {
        "switch",           "model",    "clocks",        "root",           "count", "out",       "files-from",
        "segment",          "mqtt",     "mqtt-password", "push",           "http",  "http-open", "http-token-file",
        "http-certificate", "http-key", "show-faces",    "score-threshold"};
    std::string toml;
    for (std::string line : default_lines()) {
        if (is_commented_out(line)) line.erase(0, 2);
        const std::string key = line.substr(0, line.find(' '));
        if (skipped.contains(key)) continue;
        if (key == "profiles")
            line = "profiles = \"" + (test::source_dir() / "configs/clock-profiles.toml").string() + "\"";
        for (const char* file :
             {"json", "summary", "video", "images", "telemetry", "events", "per-minute", "occupancy", "trace"}) {
            if (key != file) continue;
            const std::size_t quote = line.find('"') + 1;
            const fs::path example = line.substr(quote, line.find('"', quote) - quote);
            line = key + " = \"" + (dir.path() / (key + example.extension().string())).string() + "\"";
        }
        toml += line + "\n";
    }
    const std::string path = (dir.path() / "c.toml").string();
    std::ofstream(path) << toml;
    const test::ProgramResult result =
        test::run_program({"detect", "crowd:faces=1,size=160x120,frames=2", "--backend", "cpu", "--config", path});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* file : {"json.jsonl", "video.mp4", "images", "telemetry"}) {
        EXPECT_TRUE(fs::exists(dir.path() / file)) << file;
    }
}

// A process may run several command lines, one after the other.
TEST(ConfigLines, ALaterRunWithoutAFileNamesTheOption) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "c.toml").string();
    std::ofstream(path) << "[detector]\nmin-size = 30\n";
    const std::vector<std::string> command = {"detect", "crowd:frames=1", "--max-size", "20"};
    const auto message_with = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), options.begin(), options.end());
        return test::run_program(arguments).err;
    };
    EXPECT_NE(message_with({"--config", path}).find("c.toml:2"), std::string::npos);
    const std::string later = message_with({"--min-size", "30"});
    EXPECT_NE(later.find("--min-size"), std::string::npos) << later;
    EXPECT_EQ(later.find("c.toml"), std::string::npos) << later;
}

TEST(ConfigLines, AnErrorNamesTheLineOfAnOptionThatIsNoSettingOfDetection) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "c.toml").string();
    for (const char* line : {"show-faces = true", "video = \"-\"", "count = \"zones.toml\"", "occupancy = \"x.txt\""}) {
        std::ofstream(path) << "[output]\n" << line << '\n';
        const test::ProgramResult result = test::run_program({"detect", "crowd:frames=1", "--config", path});
        EXPECT_EQ(result.status, 2) << line;
        EXPECT_NE(result.err.find("c.toml:2"), std::string::npos) << result.err;
    }
}

TEST(ConfigLines, TheCalledCommandDeterminesTheType) {
    // --theta of `bench nms` is a list, that of `bench pipeline` is not.
    EXPECT_EQ(apply_toml("[bench]\ntheta = [0.1, 0.2]\n", {"bench", "nms"}), "");
    EXPECT_NE(apply_toml("[bench]\ntheta = [0.1, 0.2]\n", {"bench", "pipeline", "a.mp4"}), "");
    EXPECT_EQ(apply_toml("[bench]\ntheta = [0.1, 0.2]\n", {"info"}), "");
    EXPECT_EQ(apply_toml("[bench]\nsize = [\"64x64\", \"80x80\"]\n", {"bench", "cnn"}), "");
    EXPECT_EQ(apply_toml("[bench]\njson = \"a.json\"\n", {"bench", "hog"}), "");
    EXPECT_EQ(apply_toml("[models]\njson = true\n", {"models"}), "");
    EXPECT_EQ(apply_toml("[info]\njson = true\n", {"info"}), "");
    EXPECT_NE(apply_toml("[models]\njson = \"a.json\"\n", {"models"}), "");
    // --json of `bench pipeline` is not in the group [output].
    EXPECT_EQ(apply_toml("[output]\njson = \"a.jsonl\"\n", {"bench", "pipeline", "a.mp4"}), "");
}

TEST(ConfigLines, ATypeThatNoCommandAcceptsIsAnError) {
    for (const char* toml : {"[output]\njson = true\n", "[nms]\ntheta = true\n", "[detector]\nhalf = \"yes\"\n"}) {
        for (const auto& call : kCalls) EXPECT_NE(apply_toml(toml, call), "") << toml << call.front();
    }
}

}  // namespace
}  // namespace throng
