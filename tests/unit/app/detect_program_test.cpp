// `throng detect` as a user runs it: outputs, statuses and messages.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/detect_run.h"
#include "tests/support/notify_socket.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::ProgramOptions;
using test::ProgramResult;
using test::run_program;

constexpr const char* kCrowd = "crowd:faces=4,size=320x240,frames=5";

std::vector<nlohmann::json> json_lines(const std::string& text) {
    std::vector<nlohmann::json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class DetectProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    test::ScratchDir dir_;
};

TEST_F(DetectProgram, ReportsToTheServiceManager) {
    const test::NotifySocket socket(file("socket"));
    ::setenv("WATCHDOG_USEC", "1000", 1);
    const ProgramResult result = run_program({"detect", kCrowd, "--streams", "1", "--quiet"});
    ASSERT_EQ(result.status, 0) << result.err;
    std::vector<std::string> reports;
    for (std::string text; !(text = socket.report()).empty();) reports.push_back(text);
    ASSERT_GE(reports.size(), 2U);
    EXPECT_EQ(reports.back(), "STOPPING=1");
    EXPECT_EQ(std::count(reports.begin(), reports.end(), "READY=1\nSTATUS=Sources: 1"), 1);
    EXPECT_NE(std::find(reports.begin(), reports.end(), "WATCHDOG=1"), reports.end());
}

TEST(ServiceReports, FramesWithoutResultsAreAHangingPipeline) {
    const auto counters = [](std::uint64_t decoded, std::uint64_t detected, std::uint64_t dropped) {
        PipelineCounters made;
        made.decoded = decoded;
        made.detected = detected;
        made.dropped = dropped;
        return made;
    };
    for (const bool live : {false, true}) {
        EXPECT_FALSE(hangs(counters(10, 5, 2), counters(20, 6, 12), live)) << "slow";
        EXPECT_FALSE(hangs(counters(10, 8, 2), counters(10, 8, 2), live)) << "the source sends nothing";
    }
    EXPECT_TRUE(hangs(counters(10, 5, 2), counters(20, 5, 12), true));
    EXPECT_FALSE(hangs(counters(10, 5, 2), counters(10, 5, 2), true)) << "a frame was lost with a device";
    EXPECT_TRUE(hangs(counters(9, 5, 0), counters(9, 5, 0), false)) << "decoding waits for a permit";
}

TEST_F(DetectProgram, OutputsOverTheNetworkAreCheckedBeforeTheRun) {
    for (const auto& [arguments, problem] :
         {std::pair<std::vector<std::string>, const char*>{{"--mqtt", "broker"},
                                                           "is not the address of an MQTT broker"},
          {{"--mqtt-password", file("p")}, "there is no broker"},
          {{"--push", "out.mp4"}, "is not the address of a media server"},
          {{"--show-faces"}, "nothing is sent"},
          {{"--push", "rtmp://127.0.0.1:9/a", "--out", file("out")}, "cannot be combined with --out"},
          {{"--mqtt", "mqtt://127.0.0.1:9", "--out", file("out")}, "cannot be combined with --out"}}) {
        std::vector<std::string> all = {"detect", kCrowd, "--json", file("o.jsonl")};
        if (arguments.back() == file("out")) all.resize(2);
        all.insert(all.end(), arguments.begin(), arguments.end());
        const ProgramResult result = run_program(all);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_CONTAINS(result.err, problem);
    }
    EXPECT_FALSE(fs::exists(file("o.jsonl")));
    EXPECT_FALSE(fs::exists(file("out")));
}

TEST_F(DetectProgram, WritesJsonVideoAndImagesAndEndsWithATable) {
    const ProgramResult result = run_program({"detect", kCrowd, "--json", file("o.jsonl"), "--video", file("o.mp4"),
                                              "--images", file("images"), "--raw", "--blur"},
                                             test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    const auto lines = json_lines(contents(file("o.jsonl")));
    ASSERT_EQ(lines.size(), 5U);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(lines[i]["frame"], i);
        EXPECT_EQ(lines[i]["width"], 320);
        EXPECT_EQ(lines[i]["raw"], lines[i]["raw_boxes"].size());
        EXPECT_TRUE(lines[i]["timings_ms"].contains("total"));
    }
    EXPECT_GT(fs::file_size(file("o.mp4")), 500U);
    EXPECT_EQ(std::distance(fs::directory_iterator(file("images")), fs::directory_iterator()), 5);
    EXPECT_CONTAINS(result.out, "nms_reduce");
    EXPECT_CONTAINS(result.out, "5 frames");
    EXPECT_EQ(result.err, "");
    // The written video can be read again.
    const ProgramResult again = run_program({"detect", file("o.mp4"), "--json", "-", "--quiet"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(json_lines(again.out).size(), 5U);
}

TEST_F(DetectProgram, StandardOutputHoldsOnlyJsonIfRequested) {
    const ProgramResult result = run_program({"detect", kCrowd, "--json", "-", "--frames", "2"}, test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(json_lines(result.out).size(), 2U);
    EXPECT_CONTAINS(result.err, "2 frames");
}

TEST_F(DetectProgram, QuietPrintsNothing) {
    const ProgramResult result = run_program({"detect", kCrowd, "--quiet"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out + result.err, "");
}

TEST_F(DetectProgram, ABadSourceDoesNotAffectTheOthers) {
    const ProgramResult result =
        run_program({"detect", kCrowd, file("missing.mp4"), kCrowd, "--json", file("o.jsonl")});
    EXPECT_EQ(result.status, 3);
    EXPECT_CONTAINS(result.err, "missing.mp4");
    EXPECT_EQ(json_lines(contents(file("o.jsonl"))).size(), 10U);
}

TEST_F(DetectProgram, CtrlCStopsOrderly) {
    for (const int signal : {SIGINT, SIGTERM}) {
        ProgramOptions options;
        const std::string json = file("o.jsonl");
        fs::remove(json);
        options.meanwhile = [&](int pid) {
            std::error_code ignored;
            const auto size = fs::file_size(json, ignored);
            if (ignored || size == 0) return true;
            kill(pid, signal);
            return false;
        };
        const ProgramResult result =
            run_program({"detect", "crowd:faces=2,size=160x120", "--json", json, "--video", file("o.mp4")}, options);
        EXPECT_EQ(result.status, 130) << result.err;
        const std::size_t frames = json_lines(contents(json)).size();
        EXPECT_GE(frames, 1U);
        const ProgramResult video = run_program({"detect", file("o.mp4"), "--json", "-", "--quiet"});
        EXPECT_EQ(video.status, 0) << video.err;
        EXPECT_EQ(json_lines(video.out).size(), frames);
    }
}

TEST_F(DetectProgram, UnreadableInputsGiveStatus3AndTheirName) {
    std::ofstream(file("empty.mp4")).flush();
    std::ofstream(file("text.mp4")) << "not a video\n";
    std::ofstream(file("noise.png")) << std::string("\x89PNG\r\n\x1a\n") + std::string(200, 'x');
    fs::create_directory(file("folder"));
    for (const char* name : {"missing.mp4", "empty.mp4", "text.mp4", "noise.png", "folder"}) {
        const ProgramResult result = run_program({"detect", file(name)});
        EXPECT_EQ(result.status, 3) << name << ": " << result.err;
        EXPECT_CONTAINS(result.err, name);
    }
    const ProgramResult camera = run_program({"detect", "camera:97"});
    EXPECT_EQ(camera.status, 3) << camera.err;
}

TEST_F(DetectProgram, ATruncatedVideoKeepsTheFramesBeforeTheEnd) {
    ASSERT_EQ(run_program(
                  {"detect", "crowd:faces=4,size=320x240,frames=40", "--min-size", "100", "--video", file("whole.mp4")})
                  .status,
              0);
    const std::string bytes = contents(file("whole.mp4"));
    std::ofstream(file("half.mp4"), std::ios::binary) << bytes.substr(0, bytes.size() * 2 / 3);
    const auto detect = [&](const std::string& name) {  // few scales: they take most of the time with a sanitizer
        return run_program({"detect", file(name + ".mp4"), "--scale-factor", "1.4", "--json", file(name + ".jsonl")});
    };
    ASSERT_EQ(detect("whole").status, 0);
    const ProgramResult result = detect("half");
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_CONTAINS(result.err, "half.mp4");
    const auto whole = json_lines(contents(file("whole.jsonl")));
    const auto half = json_lines(contents(file("half.jsonl")));
    ASSERT_EQ(whole.size(), 40U);
    ASSERT_GE(half.size(), 1U);
    ASSERT_LT(half.size(), whole.size());
    for (std::size_t i = 0; i < half.size(); ++i) EXPECT_EQ(half[i]["kept"], whole[i]["kept"]) << "frame " << i;
}

TEST_F(DetectProgram, UnwritableOutputsGiveStatus3) {
    std::ofstream(file("file")).flush();
    for (const std::vector<std::string>& output : {std::vector<std::string>{"--json", file("missing/o.jsonl")},
                                                   {"--json", "/dev/full"},
                                                   {"--video", file("missing/o.mp4")},
                                                   {"--images", file("file")}}) {
        std::vector<std::string> arguments{"detect", kCrowd};
        arguments.insert(arguments.end(), output.begin(), output.end());
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 3) << output[1] << ": " << result.err;
        EXPECT_CONTAINS(result.err, output[1]);
    }
}

TEST_F(DetectProgram, AnOutputThatFailsIsReportedOnce) {
    for (const char* option : {"--json", "--events", "--per-minute", "--summary", "--trace", "--telemetry"}) {
        for (const std::vector<std::string>& sources : {std::vector<std::string>{kCrowd}, {kCrowd, kCrowd, kCrowd}}) {
            std::vector<std::string> arguments{"detect", option, "/dev/full"};
            arguments.insert(arguments.end(), sources.begin(), sources.end());
            const ProgramResult result = run_program(arguments);
            EXPECT_EQ(result.status, 3) << option << "\n" << result.err;
            std::size_t reports = 0;
            for (std::size_t at = result.err.find("/dev/full"); at != std::string::npos; ++reports) {
                at = result.err.find("/dev/full", at + 1);
            }
            EXPECT_EQ(reports, 1U) << option << ", " << sources.size() << " sources\n" << result.err;
        }
    }
}

TEST_F(DetectProgram, AFullDiskLeavesCompleteLines) {
    ProgramOptions options;
    options.max_file_size = 3000;
    const ProgramResult result =
        run_program({"detect", "crowd:faces=4,size=320x240,frames=40", "--json", file("o.jsonl")}, options);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_CONTAINS(result.err, "o.jsonl");
    EXPECT_GE(json_lines(contents(file("o.jsonl"))).size(), 1U);
}

TEST_F(DetectProgram, NeverOverwritesItsInput) {
    ASSERT_EQ(run_program({"detect", kCrowd, "--video", file("in.mp4")}).status, 0);
    const std::string before = contents(file("in.mp4"));
    for (const char* option : {"--video", "--json"}) {
        const ProgramResult result = run_program({"detect", file("in.mp4"), option, file("./in.mp4")});
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_CONTAINS(result.err, "in.mp4");
    }
    EXPECT_EQ(contents(file("in.mp4")), before);
    EXPECT_EQ(run_program({"detect", kCrowd, "--video", file("o"), "--json", file("o")}).status, 2);
}

TEST_F(DetectProgram, InvalidOptionsGiveStatus2AndTheirName) {
    const std::vector<std::vector<std::string>> cases = {
        {"--theta", "nan"},
        {"--theta", "1.5"},
        {"--theta", "-0.1"},
        {"--scale-factor", "nan"},
        {"--scale-factor", "1"},
        {"--min-size", "0"},
        {"--min-size", "-5"},
        {"--max-size", "10", "--min-size", "20"},
        {"--min-hits", "0"},
        {"--detector", "cat"},
        {"--rule", "best"},
        {"--frames", "-1"},
        {"--frames", "many"},
        {"--device", "-1"},
        {"--backend", "abacus"},
        {"--decoder", "magic"},
        {"--capacity", "-3"},
        {"--threads", "-1"},
        {"--min-hits", "2", "--rule", "soft-linear"},
    };
    for (const auto& options : cases) {
        std::vector<std::string> arguments{"detect", kCrowd};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 2) << options[0] << " " << options[1] << ": " << result.err;
        EXPECT_CONTAINS(result.err, options[0]);
    }
    EXPECT_EQ(run_program({"detect"}).status, 2);
    EXPECT_EQ(run_program({"detect", "crowd:faces=banana"}).status, 2);
}

TEST_F(DetectProgram, NegativeNumbersAreAcceptedAsValues) {
    EXPECT_EQ(run_program({"detect", kCrowd, "--reconnects", "-1", "--quiet"}).status, 0);
}

TEST_F(DetectProgram, MissingModelsGiveStatus4AndBrokenOnes3) {
    ProgramResult result = run_program({"detect", kCrowd, "--model", file("none.xml")});
    EXPECT_EQ(result.status, 4) << result.err;
    EXPECT_CONTAINS(result.err, "none.xml");
    std::ofstream(file("bad.xml")) << "<?xml version=\"1.0\"?><opencv_storage><cascade/></opencv_storage>";
    result = run_program({"detect", kCrowd, "--model", file("bad.xml")});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_CONTAINS(result.err, "bad.xml");
}

TEST_F(DetectProgram, ReadsAnImageOfOnePixel) {
    std::ofstream(file("one.pgm"), std::ios::binary) << "P5 1 1 255\n" << 'x';
    const ProgramResult result = run_program({"detect", file("one.pgm"), "--json", "-", "--quiet"});
    EXPECT_EQ(result.status, 0) << result.err;
    ASSERT_EQ(json_lines(result.out).size(), 1U);
    EXPECT_TRUE(json_lines(result.out)[0]["kept"].empty());
}

TEST_F(DetectProgram, ImagesNeverReplaceTheirSource) {
    ASSERT_EQ(run_program({"detect", kCrowd, "--frames", "1", "--images", file("a")}).status, 0);
    const fs::path image = fs::directory_iterator(file("a"))->path();
    const ProgramResult result = run_program({"detect", image.string(), "--images", file("a")});
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(run_program({"detect", image.string(), "--images", file("b")}).status, 0);
    EXPECT_TRUE(fs::exists(fs::path(file("b")) / image.filename()));
}

TEST_F(DetectProgram, ImagesReplaceNoFileOfTheFolder) {
    std::ofstream(file("hall.pgm"), std::ios::binary) << "P5 1 1 255\n" << 'x';
    std::ofstream(file("hall.jpg")) << "a photograph";
    std::ofstream(file("crowd_faces_2_size_160x120-000001.jpg")) << "another";
    for (const std::string& source : {file("hall.pgm"), std::string("crowd:faces=2,size=160x120")}) {
        const ProgramResult result = run_program({"detect", source, "--frames", "2", "--images", file(".")});
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_CONTAINS(result.err, "was there before");
        EXPECT_CONTAINS(result.err, "--images");
    }
    EXPECT_TRUE(contents(file("hall.jpg")) == "a photograph");
    EXPECT_TRUE(contents(file("crowd_faces_2_size_160x120-000001.jpg")) == "another");
}

}  // namespace
}  // namespace throng
