// `--trace` of `throng detect` and `throng view`.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TraceProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    test::ScratchDir dir_;
};

TEST_F(TraceProgram, HasTheStagesOfTheTableForEveryFrame) {
    const test::ProgramResult result =
        test::run_program({"detect", "crowd:faces=2,size=160x120,frames=3", "crowd:faces=1,size=160x120,frames=2",
                           "--track", "--trace", file("t.json"), "--json", file("o.jsonl")});
    ASSERT_EQ(result.status, 0) << result.err;
    std::set<std::string> stages;
    std::set<std::string> measured;
    int frames = 0;
    std::set<int> processes;
    for (const json& event : json::parse(test::contents(file("t.json")))) {
        if (event.value("cat", "") == "stage") stages.insert(event["name"]);
        frames += event.value("cat", "") == "frame" && event["name"] == "frame" ? 1 : 0;
        processes.insert(event["pid"].get<int>());
    }
    std::istringstream lines(test::contents(file("o.jsonl")));
    for (std::string line; std::getline(lines, line);) {
        const json times = json::parse(line)["timings_ms"];
        for (const auto& [name, ms] : times.items()) measured.insert(name);
    }
    EXPECT_EQ(stages, measured);
    EXPECT_EQ(frames, 5);
    EXPECT_EQ(processes, (std::set<int>{1, 2}));
}

TEST_F(TraceProgram, IsCompleteAfterASignal) {
    test::ProgramOptions options;
    options.meanwhile = [&](int pid) {
        if (!test::handles_signals(pid) || test::contents(file("t.json")).empty()) return true;
        kill(pid, SIGINT);
        return false;
    };
    const test::ProgramResult result =
        test::run_program({"detect", "crowd:faces=2,size=160x120", "--trace", file("t.json")}, options);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_GT(json::parse(test::contents(file("t.json"))).size(), 5U);
}

// An array of this format may lack its end: events remain readable one by one.
TEST_F(TraceProgram, IsReadableAfterAKill) {
    test::ProgramOptions options;
    options.meanwhile = [&](int pid) {
        if (test::contents(file("t.json")).size() < 10000) return true;
        kill(pid, SIGKILL);
        return false;
    };
    static_cast<void>(test::run_program({"detect", "crowd:faces=2,size=160x120", "--trace", file("t.json")}, options));
    const std::string text = test::contents(file("t.json"));
    ASSERT_EQ(text.substr(0, 2), "[\n");
    EXPECT_FALSE(json::accept(text)) << "it was not killed";
    const std::size_t end = text.rfind(",\n");  // the last event may be cut
    ASSERT_NE(end, std::string::npos);
    EXPECT_GT(json::parse(text.substr(0, end) + "]").size(), 5U);
}

TEST_F(TraceProgram, AFullDiskGivesStatus3AndACompleteArray) {
    test::ProgramOptions options;
    options.max_file_size = 8000;
    const test::ProgramResult result = test::run_program(
        {"detect", "crowd:faces=2,size=160x120,frames=40", "--min-size", "60", "--trace", file("t.json")}, options);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("t.json"), std::string::npos) << result.err;
    EXPECT_GT(json::parse(test::contents(file("t.json"))).size(), 5U);
    const std::string one = "crowd:faces=2,size=160x120,frames=1";
    EXPECT_EQ(test::run_program({"detect", one, "--trace", "/dev/full"}).status, 3);
    EXPECT_EQ(test::run_program({"detect", one, "--trace", file("missing/t.json")}).status, 3);
}

TEST_F(TraceProgram, CoversTheWindow) {
    test::ProgramOptions options;
    options.launcher = test::display_launcher("640x400");
    if (options.launcher.empty()) GTEST_SKIP() << "skipped: Xvfb is not installed";
    options.environment = {"QT_QPA_PLATFORM=xcb"};
    const test::ProgramResult result =
        test::run_program({"view", "crowd:faces=2,size=160x120", "--window-size", "480x320", "--screenshot",
                           file("s.png"), "--screenshot-after", "2", "--trace", file("t.json")},
                          options);
    if (result.err.find("the window is not installed") != std::string::npos) GTEST_SKIP() << "skipped: no window";
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_GT(json::parse(test::contents(file("t.json"))).size(), 10U);
}

}  // namespace
}  // namespace throng
