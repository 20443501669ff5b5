// throng anonymize --segment: the hidden video is that of a run over the whole video.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/anonymize_parts.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"
#include "tests/unit/anonymize/inspect.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::run_program;

TEST(AnonymizeSegments, HideTheSameFrames) {
    TH_NEED_FFMPEG();
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    ASSERT_EQ(run_program({"crowd", path("drawn.mp4"), "--size", "160x120", "--faces", "3", "--frames", "30", "--fps",
                           "10", "--motion", "walk", "--seed", "3", "-q"})
                  .status,
              0);
    fs::create_directories(path("in"));
    test::ffmpeg("-i '" + path("drawn.mp4") +
                     "' -f lavfi -i sine=f=300:d=3 -map 0:v -map 1:a -c:a aac -c:v libx264 -g 6 -x264-params "
                     "open-gop=1:bframes=2:b-adapt=0",
                 path("in/clip.mp4"));
    const auto anonymize = [&](const std::string& out, const std::vector<std::string>& options,
                               const test::ProgramOptions& program = {}) {
        std::vector<std::string> arguments = {"anonymize", path("in"),  "--out",     path(out),   "--detector",
                                              "lbp",       "--encoder", "libx264",   "--quality", "0",
                                              "--audio",   "copy",      "--backend", "cpu"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run_program(arguments, program);
    };
    ASSERT_EQ(anonymize("whole", {}).status, 0);
    ASSERT_EQ(anonymize("out", {"--segment", "1", "--shard", "2/2"}).status, 0);
    EXPECT_FALSE(fs::exists(path("out/clip.mp4")));
    const auto last = anonymize("out", {"--segment", "1", "--shard", "1/2"});
    ASSERT_EQ(last.status, 0) << last.err;
    EXPECT_EQ(last.err.find("again"), std::string::npos) << last.err;  // the parts joined

    // Whoever encodes the parts, the bytes are the same.
    ASSERT_EQ(anonymize("one", {"--segment", "1"}, test::own_process()).status, 0);
    EXPECT_TRUE(test::contents(path("one/clip.mp4")) == test::contents(path("out/clip.mp4")));
    EXPECT_FALSE(fs::exists(path("out/.throng/parts/clip.mp4.1s"))) << "parts remain";

    // Quality 0 is lossless: the decoded pixels are those before encoding.
    const test::MediaFacts expected = test::inspect(path("whole/clip.mp4"), 30);
    const test::MediaFacts facts = test::inspect(path("out/clip.mp4"), 30);
    EXPECT_EQ(facts.times.size(), 30U);
    EXPECT_EQ(facts.times, expected.times);
    EXPECT_EQ(facts.gray, expected.gray);
    EXPECT_EQ(facts.streams, (std::vector<std::string>{"video h264", "audio aac"}));
    auto report = [&](const std::string& folder) {
        Json json = Json::parse(test::contents(path(folder + "/clip.mp4.report.json")));
        json["files"][0].erase("output_sha256");
        return json;
    };
    EXPECT_EQ(report("out"), report("whole"));
    EXPECT_GT(report("out")["files"][0]["tracks"].size(), 0U);

    const auto file =
        run_program({"anonymize", path("in/clip.mp4"), "--out", path("x.mp4"), "--detector", "haar", "--segment", "1"});
    EXPECT_EQ(file.status, 2);
    EXPECT_NE(file.err.find("applies to archives only"), std::string::npos) << file.err;
}

// A variable rate, with a frame that is longer than a part; frames of all types; an edit list that begins between key
// frames; sound.
TEST(AnonymizeSegments, KeepTimesOfAVariableRateAndAnEditList) {
    TH_NEED_FFMPEG();
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    fs::create_directories(path("in"));
    test::ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=10:d=4.5 -f lavfi -i sine=f=300:d=8 -vf "
        "\"setpts='(N*0.1+0.03*mod(N*7,4)+if(gt(N,30),2.7,0))/TB'\" -fps_mode passthrough -enc_time_base 1:90000 "
        "-c:v libx264 -g 7 -x264-params bframes=2:b-adapt=0 -c:a aac",
        path("all.mp4"));
    test::ffmpeg("-ss 1.25 -i '" + path("all.mp4") + "' -c copy", path("in/clip.mp4"));
    for (const auto& [out, segment] : {std::pair{"whole", "0"}, {"parts", "1"}}) {
        std::vector<std::string> arguments = {"anonymize", path("in"),  "--out",     path(out),   "--detector",
                                              "lbp",       "--encoder", "libx264",   "--quality", "0",
                                              "--audio",   "copy",      "--backend", "cpu"};
        if (segment[0] != '0') arguments.insert(arguments.end(), {"--segment", segment});
        const auto run = run_program(arguments);
        ASSERT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(run.err.find("again"), std::string::npos) << run.err;
    }
    const test::MediaFacts input = test::inspect(path("in/clip.mp4"));
    const test::MediaFacts whole = test::inspect(path("whole/clip.mp4"), 40);
    const test::MediaFacts parts = test::inspect(path("parts/clip.mp4"), 40);
    ASSERT_GT(parts.times.size(), 25U);
    EXPECT_LT(parts.times.size(), 40U) << "the edit list hides frames";
    EXPECT_EQ(parts.times, whole.times);
    EXPECT_EQ(parts.times, input.times);
    EXPECT_EQ(parts.gray, whole.gray);
    EXPECT_EQ(parts.streams, whole.streams);
}

TEST(AnonymizeSegments, RejectTheRecordOfADamagedPart) {
    const auto part = [](const char* spans, const char* count, const char* thumbnails) {
        return nlohmann::ordered_json::parse(std::string(R"({"spans":)") + spans + R"(,"counts":[)" + count +
                                             R"(,2,3,4,5,6,7],"thumbnails":)" + thumbnails + "}");
    };
    ReportedFile reported;
    reported.tracks.resize(2);
    std::set<std::size_t> spans;
    add_part(part("[3]", "1", R"([[1,"a"]])"), reported, spans);
    add_part(part("[0,3]", "10", "[]"), reported, spans);
    EXPECT_EQ(spans, (std::set<std::size_t>{0, 3}));
    EXPECT_EQ(reported.frames, 11);
    EXPECT_EQ(reported.composed_frames, 14);
    EXPECT_EQ(reported.tracks[1].thumbnail, "a");

    // The tracks are 0 and 1.
    for (const char* thumbnails :
         {R"([[2,"a"]])", R"([[-1,"a"]])", R"([[0.5,"a"]])", R"([["0","a"]])", "[[0]]", "[1]"}) {
        EXPECT_THROW(add_part(part("[]", "1", thumbnails), reported, spans), nlohmann::json::exception) << thumbnails;
    }
    for (const char* span : {"[-1]", "[0.5]", "[1e300]", "[null]"}) {
        EXPECT_THROW(add_part(part(span, "1", "[]"), reported, spans), nlohmann::json::exception) << span;
    }
    EXPECT_THROW(add_part(part("[]", "1e300", "[]"), reported, spans), nlohmann::json::exception);
}

}  // namespace
}  // namespace throng
