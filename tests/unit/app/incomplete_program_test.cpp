// `throng detect` on incomplete inputs: results of the readable part, a warning, and status 3.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/http_server.h"
#include "tests/support/process_state.h"
#include "tests/support/program/program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::ProgramOptions;
using test::ProgramResult;
using test::run_program;

class IncompleteProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    test::ScratchDir dir_;
};

TEST_F(IncompleteProgram, ATruncatedVideoGivesItsFramesAWarningAndStatus3) {
    ASSERT_EQ(run_program({"crowd", file("whole.mkv"), "--size", "320x240", "--frames", "60"}).status, 0);
    const std::string bytes = contents(file("whole.mkv"));
    std::ofstream(file("cut.mkv"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    const ProgramResult result = run_program({"detect", file("cut.mkv"), "crowd:faces=1,size=64x64,frames=2", "--json",
                                              file("o.jsonl"), "--summary", file("s.json"), "--min-size", "60"});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("cut.mkv: incomplete: "), std::string::npos) << result.err;
    const nlohmann::json summary = nlohmann::json::parse(contents(file("s.json")));
    EXPECT_FALSE(summary["sources"][0]["incomplete"].is_null());
    EXPECT_TRUE(summary["sources"][1]["incomplete"].is_null());
    const std::string lines = contents(file("o.jsonl"));
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), summary["frames"].get<std::int64_t>());
    EXPECT_GT(summary["sources"][0]["frames"].get<int>(), 10);
    const ProgramResult whole = run_program({"detect", file("whole.mkv"), "--min-size", "60"});
    EXPECT_EQ(whole.status, 0) << whole.err;
    // The requested frames are present, so the run is complete.
    EXPECT_EQ(run_program({"detect", file("cut.mkv"), "--frames", "5", "--min-size", "60"}).status, 0);
}

TEST_F(IncompleteProgram, AFolderWithABrokenImageGivesTheOthersAndStatus3) {
    fs::create_directory(file("photos"));
    ASSERT_EQ(run_program({"crowd", file("photos/a.png"), "--size", "160x120"}).status, 0);
    std::ofstream(file("photos/b.png"), std::ios::binary) << contents(file("photos/a.png")).substr(0, 40);
    const ProgramResult result = run_program({"detect", file("photos"), "--json", file("o.jsonl")});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("b.png"), std::string::npos) << result.err;
    const std::string lines = contents(file("o.jsonl"));
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
}

// Two cameras may differ in the host only.
TEST_F(IncompleteProgram, WarningsNameTheWholeAddressWithoutItsPassword) {
    ASSERT_EQ(run_program({"crowd", file("whole.mkv"), "--size", "320x240", "--frames", "40"}).status, 0);
    const std::vector<char> body = test::read_file(file("whole.mkv"));
    test::HttpServer::Plan plan;
    plan.ranges = false;
    plan.cut_after = body.size() / 2;
    test::HttpServer front(body, plan);
    test::HttpServer back(body, plan);
    const ProgramResult result =
        run_program({"detect", front.url("t", "me:hidden"), back.url("t", "me:hidden"), "--min-size", "60"});
    EXPECT_EQ(result.status, 3) << result.err;
    for (const test::HttpServer* server : {&front, &back}) {
        const std::string address = server->url("t", "***");
        EXPECT_NE(result.err.find(address + ": incomplete: "), std::string::npos) << address << "\n" << result.err;
    }
    EXPECT_EQ((result.out + result.err).find("hidden"), std::string::npos) << result.err;
}

// What is not processed is named, and the audio of a cut file is missing in the video.
TEST_F(IncompleteProgram, FurtherVideosAndCutAudioAreReported) {
    TH_NEED_FFMPEG();
    test::ffmpeg(
        "-f lavfi -i testsrc=size=160x120:rate=5:duration=1 -f lavfi -i testsrc2=size=160x120:rate=5:duration=1 -map 0 "
        "-map 1 -c:v libx264",
        file("two.mkv"));
    const ProgramResult two = run_program({"detect", file("two.mkv"), "--min-size", "60"});
    EXPECT_EQ(two.status, 0) << two.err;
    EXPECT_NE(two.err.find("two.mkv: 1 further video track is not used"), std::string::npos) << two.err;

    test::ffmpeg(
        "-f lavfi -i testsrc=size=160x120:rate=5:duration=1 -f lavfi -i sine=440:duration=4 -c:v libx264 -c:a aac "
        "-movflags +faststart",
        file("whole.mp4"));
    const std::string bytes = contents(file("whole.mp4"));
    std::ofstream(file("cut.mp4"), std::ios::binary) << bytes.substr(0, bytes.size() * 3 / 4);
    for (const std::string name : {"whole.mp4", "cut.mp4"}) {
        const ProgramResult result =
            run_program({"detect", file(name), "--video", file("out.mp4"), "--audio", "copy", "--min-size", "60"});
        EXPECT_EQ(result.status, name == "cut.mp4" ? 3 : 0) << result.err;
        EXPECT_EQ(result.err.find("the audio ends early") != std::string::npos, name == "cut.mp4") << result.err;
    }
}

TEST_F(IncompleteProgram, OneSignalEndsTheWaitForAnInput) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ProgramOptions options;
        options.meanwhile = [&](int pid) {
            if (!test::handles_signals(pid) || !test::has_opened(pid, file("pipe"))) return true;
            kill(pid, signal);
            return false;
        };
        const ProgramResult result =
            run_program({"detect", file("pipe"), "--open-timeout", "3600", "--json", file("o.jsonl")}, options);
        EXPECT_EQ(result.status, 130) << result.err;
        EXPECT_FALSE(fs::exists(file("o.jsonl")));
    }
}

// The call that resolves a name cannot be interrupted, so no thread may block in it.
TEST_F(IncompleteProgram, OneSignalEndsTheWaitForANameLookup) {
    if (test::kSanitized) GTEST_SKIP() << "skipped: a sanitizer must be the first preloaded library";
    struct Case {
        std::vector<std::string> command;
        const char* proxy;
    };
    const std::vector<Case> cases = {
        {{"detect", "rtsp://me:hidden@silent.test/a", "--open-timeout", "3600"}, ""},
        {{"detect", "rtsp://me:hidden@silent.test/a", "--open-timeout", "3600"}, "http://127.0.0.1:9"},
        {{"detect", "http://silent.test:8000/a.mp4", "--open-timeout", "3600"}, ""},
        {{"detect", "http://127.0.0.1:9/a.mp4", "--open-timeout", "3600"}, "http://silent.test:8000"},
        {{"models", "fetch", "yunet_n_dynamic", "--to", file("models"), "--from", "http://silent.test/m"}, ""},
    };
    for (const auto& [command, proxy] : cases) {
        ProgramOptions options;
        options.environment = {std::string("LD_PRELOAD=") + TH_SILENT_RESOLVER, std::string("http_proxy=") + proxy,
                               "no_proxy=", "SILENT_RESOLVER_ASKED=" + file("asked")};
        fs::remove(file("asked"));
        options.meanwhile = [&](int pid) {
            if (!test::handles_signals(pid) || !fs::exists(file("asked"))) return true;
            kill(pid, SIGINT);
            return false;
        };
        const ProgramResult result = run_program(command, options);
        EXPECT_EQ(result.status, 130) << command[1] << result.err;
        EXPECT_EQ(result.err.find("hidden"), std::string::npos) << result.err;
    }
    const ProgramOptions options = test::own_process({std::string("LD_PRELOAD=") + TH_SILENT_RESOLVER, "http_proxy="});
    const ProgramResult late = run_program({"detect", "http://silent.test/a", "--open-timeout", "0.5"}, options);
    EXPECT_EQ(late.status, 3);
    EXPECT_NE(late.err.find("not resolved within 0.5 s"), std::string::npos) << late.err;
}

}  // namespace
}  // namespace throng
