// The common part of the command line: help, misspelled names, configuration files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/config.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::ProgramResult;
using test::run_program;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(CommandLine, HelpAndVersionSucceed) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                      {"detect", "--help"},
                                                      {"view", "--help"},
                                                      {"info", "--help"},
                                                      {"--version"}}) {
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_FALSE(result.out.empty());
    }
    const std::string help = run_program({"detect", "--help"}).out;
    for (const char* part : {"--theta", "--min-size", "Examples", "Detector", "NMS", "Output", "Common", "SOURCE"}) {
        EXPECT_CONTAINS(help, part);
    }
}

// The other tests run most command lines in their own process.
TEST(CommandLine, TheProgramDoesWhatItsFunctionDoes) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"models", "--json"}, {"detect", "--frames", "x"}}) {
        const ProgramResult here = run_program(arguments);
        const ProgramResult program = run_program(arguments, test::own_process());
        EXPECT_EQ(program.status, here.status) << arguments[0];
        EXPECT_EQ(program.out, here.out) << arguments[0];
        EXPECT_EQ(program.err, here.err) << arguments[0];
        EXPECT_NE(program.out + program.err, "") << arguments[0];
    }
}

TEST(CommandLine, MisspelledNamesGetASuggestion) {
    ProgramResult result = run_program({"detec", "a.mp4"});
    EXPECT_EQ(result.status, 2);
    EXPECT_CONTAINS(result.err, "did you mean detect?");
    result = run_program({"detect", "a.mp4", "--thta", "0.4"});
    EXPECT_EQ(result.status, 2);
    EXPECT_CONTAINS(result.err, "did you mean --theta?");
    EXPECT_EQ(run_program({"--frobnicate"}).status, 2);
}

TEST(CommandLine, InfoListsTheComponentsOfThisBuild) {
    const ProgramResult text = run_program({"info"}, test::own_process());
    EXPECT_EQ(text.status, 0);
    for (const char* part : {"ffmpeg", "opencv", "highway", "cpu", "cuda", "software"}) EXPECT_CONTAINS(text.out, part);
    const ProgramResult json = run_program({"info", "--json"});
    EXPECT_EQ(json.status, 0);
    const nlohmann::json all = nlohmann::json::parse(json.out);
    EXPECT_EQ(all["backends"][0]["name"], "cpu");
    EXPECT_TRUE(all["backends"][0]["usable"]);
}

TEST(CommandLine, AnUnavailableBackendGivesStatus4) {
    const nlohmann::json all = nlohmann::json::parse(run_program({"info", "--json"}).out);
    if (all["backends"][1]["usable"].get<bool>()) GTEST_SKIP() << "skipped: this machine has CUDA";
    const ProgramResult result = run_program({"detect", "crowd:faces=1,size=160x120,frames=1", "--backend", "cuda"});
    EXPECT_EQ(result.status, 4) << result.err;
    EXPECT_CONTAINS(result.err, all["backends"][1]["details"].get<std::string>());
}

class Configuration : public ::testing::Test {
protected:
    ProgramResult run_with(const std::string& toml, std::vector<std::string> arguments = {"info"}) {
        const std::string path = (dir_.path() / "c.toml").string();
        std::ofstream(path) << toml;
        arguments.insert(arguments.end(), {"--config", path});
        return run_program(arguments);
    }
    test::ScratchDir dir_;
};

TEST_F(Configuration, TheFilesInConfigsAreValid) {
    for (const char* name : {"default.toml", "kiosk.toml"}) {
        const ProgramResult result =
            run_program({"info", "--config", (test::source_dir() / "configs" / name).string()});
        EXPECT_EQ(result.status, 0) << name << result.err;
    }
}

TEST_F(Configuration, ErrorsContainLineAndKey) {
    const struct {
        const char* toml;
        const char* part;
    } cases[] = {
        {"theta = 0.4\nthet = 0.5\n", "c.toml:2: thet"},
        {"theta = 0.4\nthet = 0.5\n", "did you mean theta?"},
        {"[nms]\n\ntheta = \"half\"\n", "c.toml:3: nms.theta"},
        {"[nmss]\ntheta = 0.5\n", "did you mean nms?"},
        {"[detector]\ntheta = 0.5\n", "c.toml:2: detector.theta"},
        {"raw = 1\n", "c.toml:1: raw"},
        {"theta = true\n", "c.toml:1: theta"},
        {"theta = [0.1, 0.2]\n", "c.toml:1: theta"},
        {"rule = \"best\"\n", "c.toml:1: rule"},
        {"theta = 1979-05-27\n", "c.toml:1: theta"},
        {"[nms.inner]\ntheta = 0.4\n", "nms.inner"},
        {"x = \n", "c.toml:1"},
        {"theta = 0.4\ntheta = 0.5\n", "c.toml:2"},
    };
    for (const auto& [toml, part] : cases) {
        const ProgramResult result = run_with(toml, {"detect", "crowd:faces=1,size=160x120,frames=1"});
        EXPECT_EQ(result.status, 2) << toml << result.err;
        EXPECT_CONTAINS(result.err, part);
    }
    EXPECT_EQ(run_program({"info", "--config", (dir_.path() / "none.toml").string()}).status, 3);
}

TEST_F(Configuration, TheCommandLineTakesPrecedence) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const std::vector<std::string> detect{"detect", "crowd:faces=1,size=160x120,frames=9", "--json", "-"};
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    EXPECT_EQ(lines(run_with("quiet = true\n[source]\nframes = 3\n", detect).out), 3);
    std::vector<std::string> explicit_frames = detect;
    explicit_frames.insert(explicit_frames.end(), {"--frames", "2"});
    EXPECT_EQ(lines(run_with("quiet = true\n[source]\nframes = 3\n", explicit_frames).out), 2);
    EXPECT_EQ(lines(run_with("quiet = true\n[view]\nframes = 3\n", detect).out), 9);
    EXPECT_EQ(lines(run_with("quiet = true\n[detect]\nframes = 4\n", detect).out), 4);
}

TEST_F(Configuration, TheUsersOwnFileIsReadIfItExists) {
    fs::create_directories(dir_.path() / "throng");
    std::ofstream(dir_.path() / "throng" / "config.toml") << "nonsense = 1\n";
    test::ProgramOptions options;
    options.environment = {"XDG_CONFIG_HOME=" + dir_.path().string()};
    EXPECT_EQ(run_program({"info"}, options).status, 2);
    EXPECT_EQ(run_program({"info", "--config", ""}, options).status, 0);
}

}  // namespace
}  // namespace throng
