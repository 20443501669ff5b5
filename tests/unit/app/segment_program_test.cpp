// `throng detect --out --segment`: parts of videos, shared by shards, and their joining.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/segments.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::ProgramResult;
using test::run_program;

class SegmentProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("lbpcascade_frontalface.xml")) GTEST_SKIP() << "skipped: no opencv-data";
        TH_NEED_FFMPEG();
        fs::create_directories(file("in"));
        ASSERT_EQ(run_program({"crowd", file("drawn.mp4"), "--size", "160x120", "--faces", "3", "--frames", "30",
                               "--fps", "10", "--motion", "walk", "--seed", "3", "-q"})
                      .status,
                  0);
        encode("in/clip.mkv", "-c:v libx264 -g 6 -x264-params open-gop=1:bframes=2:b-adapt=0");
    }
    void encode(const std::string& name, const std::string& options) const {
        test::ffmpeg("-i '" + file("drawn.mp4") + "' " + options, file(name));
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }
    ProgramResult detect(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"detect", file("in"), "--detector", "lbp", "--backend", "cpu", "--track"});
        return run_program(arguments);
    }
    // Returns the lines of a result without times.
    [[nodiscard]] std::vector<std::string> lines_of(const std::string& out, const std::string& name) const {
        std::vector<std::string> lines;
        std::istringstream stream(contents(file(out) + file("in/" + name) + ".jsonl"));
        for (std::string line; std::getline(stream, line);)
            lines.push_back(line.substr(0, line.find(",\"timings_ms\"")));
        return lines;
    }
    [[nodiscard]] std::vector<std::string> whole_lines(const std::string& name) const {
        fs::remove_all(file("whole"));
        EXPECT_EQ(detect({"--out", file("whole")}).status, 0);
        return lines_of("whole", name);
    }

    test::ScratchDir dir_;
};

TEST_F(SegmentProgram, ShardsOfPartsAddUpToTheWholeVideo) {
    encode("in/single.mp4", "-c:v libx264 -g 1000");  // has one key frame
    encode("in/still.png", "-frames:v 1 -update 1");
    const auto expected = whole_lines("clip.mkv");
    ASSERT_EQ(expected.size(), 30U);
    const auto has_tracks = [](const std::string& line) { return line.find("\"id\"") != std::string::npos; };
    EXPECT_TRUE(has_tracks(expected[9]) && has_tracks(expected[10])) << "no tracks where a part begins";

    const ProgramResult second = detect({"--out", file("out"), "--segment", "1", "--shard", "2/2"});
    EXPECT_EQ(second.status, 0) << second.err;
    EXPECT_NE(second.err.find("clip.mkv waits for 2 of 3 parts: 1 (missing), 3 (missing)"), std::string::npos)
        << second.err;
    EXPECT_NE(second.err.find("single.mp4 is not divided: it has no key frames"), std::string::npos) << second.err;
    const ProgramResult early = run_program({"merge", file("out")});
    EXPECT_EQ(early.status, 3);
    EXPECT_NE(early.err.find("2 of 3 parts: 00001-of-00003, 00003-of-00003"), std::string::npos) << early.err;

    const ProgramResult first = detect({"--out", file("out"), "--segment", "1", "--shard", "1/2"});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.err.find("again"), std::string::npos) << first.err;  // the parts joined
    EXPECT_EQ(lines_of("out", "clip.mkv"), expected);
    EXPECT_EQ(lines_of("out", "single.mp4"), lines_of("whole", "single.mp4"));
    EXPECT_EQ(lines_of("out", "still.png"), lines_of("whole", "still.png"));
    EXPECT_FALSE(fs::exists(file("out/.throng/parts") + file("in/clip.mkv.1s"))) << "parts remain";
    const ProgramResult merged = run_program({"merge", file("out")});
    EXPECT_EQ(merged.status, 0) << merged.err;
    EXPECT_NE(merged.out.find("3 inputs, 0 incomplete, 0 failed, 3 on cpu; 61 frames"), std::string::npos)
        << merged.out;

    // Nothing is left to do, and nothing is done without --resume.
    const ProgramResult again = detect({"--out", file("out"), "--segment", "1", "--shard", "1/2", "--resume"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_NE(again.out.find("2 of 2 parts, 2 skipped"), std::string::npos) << again.out;
    EXPECT_EQ(detect({"--out", file("out"), "--segment", "1", "--shard", "1/2"}).status, 2);
}

// More shards than parts: those that come after the joining have nothing to wait for.
TEST_F(SegmentProgram, LaterShardsDoNotWaitForPartsThatWereJoined) {
    for (const char* shard : {"1/5", "2/5", "3/5", "4/5", "5/5"}) {
        const ProgramResult result = detect({"--out", file("out"), "--segment", "1", "--shard", shard});
        EXPECT_EQ(result.status, 0) << result.err;
        if (!lines_of("out", "clip.mkv").empty()) {
            EXPECT_EQ(result.err.find("wait"), std::string::npos) << shard << result.err;
        }
    }
    EXPECT_EQ(lines_of("out", "clip.mkv").size(), 30U);
    // Each file was opened by one shard.
    std::size_t lines = 0;
    for (const auto& entry : fs::directory_iterator(file("out/.throng/parts/divisions/.throng"))) {
        const std::string text = contents(entry.path());
        lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    EXPECT_EQ(lines, 1U);
}

TEST_F(SegmentProgram, VideosThatStartLateAreDividedByTheirLength) {
    for (const char* extension : {"mkv", "mp4", "asf"}) {
        encode(std::string("in/late.") + extension, std::string(extension) == "asf"
                                                        ? "-c:v mpeg4 -g 6 -output_ts_offset 1000000"
                                                        : "-c:v libx264 -g 6 -output_ts_offset 1000000");
    }
    const ProgramResult result = detect({"--out", file("out"), "--segment", "1"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("4 of 4 files divided into 12 parts"), std::string::npos) << result.err;
    const auto expected = whole_lines("late.mkv");
    EXPECT_EQ(expected.size(), 30U);
    EXPECT_EQ(lines_of("out", "late.mkv"), expected);
}

// One open file per video and part would not be enough for all of them.
TEST_F(SegmentProgram, JoinsMoreVideosThanAProcessMayOpenFiles) {
    constexpr int kVideos = 90;
    encode("in/brief.mkv", "-c:v libx264 -g 5 -s 64x48 -frames:v 20");
    fs::remove(file("in/clip.mkv"));
    for (int i = 1; i < kVideos; ++i) fs::copy_file(file("in/brief.mkv"), file("in/" + std::to_string(i) + ".mkv"));
    test::ProgramOptions options;
    options.launcher = {"sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"};
    const ProgramResult result = run_program({"detect", file("in"), "--detector", "lbp", "--backend", "cpu", "--out",
                                              file("out"), "--segment", "1", "--streams", "2"},
                                             options);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("90 of 90 files divided into 180 parts"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("90 of 90 files, 0 skipped"), std::string::npos) << result.out;
}

// The disk has room for each part, and not for what they join to. Nothing is lost, and no part is made again.
TEST_F(SegmentProgram, JoinsAfterADiskThatWasFull) {
    test::ProgramOptions full;
    full.max_file_size = 10'000;  // parts have 7,100 bytes at most, the result 15,300
    const std::vector<std::string> command{"detect",  file("in"), "--detector", "lbp",       "--backend", "cpu",
                                           "--track", "--raw",    "--out",      file("out"), "--segment", "1"};
    const ProgramResult result = run_program(command, full);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("cannot write"), std::string::npos) << result.err;
    EXPECT_TRUE(lines_of("out", "clip.mkv").empty());
    std::vector<std::string> again = command;
    again.emplace_back("--resume");
    const ProgramResult resumed = run_program(again);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_NE(resumed.out.find("3 of 3 parts, 3 skipped"), std::string::npos) << resumed.out;
    EXPECT_EQ(detect({"--raw", "--out", file("whole")}).status, 0);
    EXPECT_EQ(lines_of("out", "clip.mkv"), lines_of("whole", "clip.mkv"));
    EXPECT_GT(contents(file("out") + file("in/clip.mkv") + ".jsonl").size(), 10'000U) << "the limit was never met";
}

// The process that joins the parts dies before it has a result.
TEST_F(SegmentProgram, ResumesBetweenPartsAndJoin) {
    const std::string parts = file("out/.throng/parts");
    const SplitVideo video{file("in/clip.mkv").substr(1), 1, 3, parts};
    EXPECT_EQ(detect({"--out", file("out"), "--segment", "1", "--shard", "1/2"}).status, 0);
    {
        WorkClaims claims(video.folder);
        const WorkClaims::Claim of_another_process = claims.claim(video.subfolder());
        ASSERT_TRUE(of_another_process);
        EXPECT_EQ(detect({"--out", file("out"), "--segment", "1", "--shard", "2/2"}).status, 0);
        EXPECT_TRUE(lines_of("out", "clip.mkv").empty());
        EXPECT_TRUE(fs::exists(video.file_of(3)));
    }
    const ProgramResult merged = run_program({"merge", file("out")});
    EXPECT_NE(merged.err.find("its segments are not joined"), std::string::npos) << merged.err;
    const ProgramResult joined = detect({"--out", file("out"), "--segment", "1", "--shard", "2/2", "--resume"});
    EXPECT_EQ(joined.status, 0) << joined.err;
    EXPECT_NE(joined.out.find("1 skipped"), std::string::npos) << joined.out;
    EXPECT_EQ(lines_of("out", "clip.mkv"), whole_lines("clip.mkv"));
}

TEST_F(SegmentProgram, RejectsPartsThatDoNotBelongTogether) {
    EXPECT_EQ(detect({"--out", file("out"), "--segment", "1", "--shard", "1/2", "--min-size", "30"}).status, 0);
    const ProgramResult mixed = detect({"--out", file("out"), "--segment", "1", "--shard", "2/2"});
    EXPECT_NE(mixed.err.find("waits for 2 of 3 parts: 1 (other settings), 3 (other settings)"), std::string::npos)
        << mixed.err;

    // The video changes after one part.
    encode("in/clip.mkv", "-c:v libx264 -g 6 -crf 40");
    const ProgramResult changed = detect({"--out", file("out"), "--segment", "1", "--shard", "1/2", "--resume"});
    EXPECT_EQ(changed.status, 3) << changed.err;
    EXPECT_NE(changed.err.find("part 2 of 3 belongs to another content"), std::string::npos) << changed.err;
    const ProgramResult repaired = detect({"--out", file("out"), "--segment", "1", "--shard", "2/2", "--resume"});
    EXPECT_EQ(repaired.status, 0) << repaired.err;
    EXPECT_EQ(lines_of("out", "clip.mkv"), whole_lines("clip.mkv"));
    EXPECT_EQ(run_program({"merge", file("out")}).status, 0);
}

// The frames of damaged data depend on where decoding began.
TEST_F(SegmentProgram, ProcessesADamagedVideoAsAWhole) {
    encode("clip.ts", "-c:v mpeg2video -g 5 -bf 2 -b:v 300k");
    std::vector<char> bytes = test::read_file(file("clip.ts"));
    bytes.resize(bytes.size() * 3 / 4 + 77);
    test::write_file(file("in/cut.ts"), bytes);
    const ProgramResult result = detect({"--out", file("out"), "--segment", "1"});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("processing the whole file again"), std::string::npos) << result.err;
    EXPECT_EQ(detect({"--out", file("whole")}).status, 3);
    EXPECT_EQ(lines_of("out", "cut.ts"), lines_of("whole", "cut.ts"));
    EXPECT_GT(lines_of("out", "cut.ts").size(), 10U);
    EXPECT_EQ(lines_of("out", "clip.mkv"), lines_of("whole", "clip.mkv"));
}

// With --out, --count writes what detect --events and --per-minute write, for each input; merge joins them.
TEST_F(SegmentProgram, CountsAreThoseOfARunOverOneVideo) {
    const std::string odd = "a, \"b\"\nc.mkv";
    fs::copy_file(file("in/clip.mkv"), file("in/" + odd));
    std::ofstream(file("plan.toml"))
        << "size = [160, 120]\n[[line]]\nname = \"gate\"\nfrom = [80, 0]\nto = [80, 119]\n";
    const std::string base = file("out") + file("in/");
    for (const char* shard : {"1/2", "2/2"}) {
        const ProgramResult run =
            detect({"--out", file("out"), "--count", file("plan.toml"), "--segment", "1", "--shard", shard});
        EXPECT_EQ(run.status, 0) << run.err;
    }
    const ProgramResult single =
        run_program({"detect", file("in/clip.mkv"), "--detector", "lbp", "--backend", "cpu", "--quiet", "--count",
                     file("plan.toml"), "--events", file("events"), "--per-minute", file("minutes")});
    ASSERT_EQ(single.status, 0) << single.err;
    // The source in an archive is the name of the input.
    const std::string path = file("in/clip.mkv");
    const auto renamed = [&](std::string text, const std::string& number) {
        for (const auto& [from, to] : {std::pair{path, path.substr(1)},
                                       {std::string("\"source_number\":1,"), "\"source_number\":" + number + ","},
                                       {"mkv,1,", "mkv," + number + ","}}) {
            for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
                text.replace(at, from.size(), to);
            }
        }
        return text;
    };
    EXPECT_NE(contents(file("events")).find("appeared"), std::string::npos);
    EXPECT_EQ(contents(base + "clip.mkv.events.jsonl"), renamed(contents(file("events")), "1"));
    EXPECT_EQ(contents(base + "clip.mkv.per-minute.csv"), renamed(contents(file("minutes")), "1"));

    const ProgramResult merged = run_program({"merge", file("out"), "--json", file("all.jsonl"), "--events",
                                              file("all.events"), "--per-minute", file("all.csv")});
    EXPECT_EQ(merged.status, 0) << merged.err;
    const std::string lines = contents(file("all.jsonl"));
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 60) << "events among the detections";
    const std::string events = contents(file("all.events"));
    const std::string clip = renamed(contents(file("events")), "2");
    ASSERT_GT(events.size(), clip.size());
    EXPECT_EQ(events.substr(events.size() - clip.size()), clip);
    const std::string table = contents(file("all.csv"));
    const std::string minutes = renamed(contents(file("minutes")), "2");
    const std::size_t header = minutes.find('\n') + 1;
    EXPECT_EQ(table.substr(0, header), minutes.substr(0, header));
    EXPECT_EQ(table.substr(table.size() - (minutes.size() - header)), minutes.substr(header));
    EXPECT_EQ(table.find("source", header), std::string::npos) << "a second header";
    EXPECT_NE(table.find("a, \"\"b\"\"\nc.mkv\",1,0,"), std::string::npos) << table;

    // Other lines are other settings; the name of their file does not matter.
    fs::rename(file("plan.toml"), file("renamed.toml"));
    const ProgramResult same = detect({"--out", file("out"), "--count", file("renamed.toml"), "--resume"});
    EXPECT_NE(same.out.find("2 skipped"), std::string::npos) << same.out;
    std::ofstream(file("renamed.toml")) << "size = [160, 120]\n";
    const ProgramResult other = detect({"--out", file("out"), "--count", file("renamed.toml"), "--resume"});
    EXPECT_NE(other.out.find("0 skipped"), std::string::npos) << other.out;
}

TEST_F(SegmentProgram, JoinsNoCountsThatDoNotExist) {
    encode("in/still.png", "-frames:v 1 -update 1");
    fs::remove(file("in/clip.mkv"));
    EXPECT_EQ(detect({"--out", file("out")}).status, 0);
    const ProgramResult events = run_program({"merge", file("out"), "--events", file("all.events")});
    EXPECT_EQ(events.status, 2);
    EXPECT_NE(events.err.find("--count FILE.toml"), std::string::npos) << events.err;
    EXPECT_EQ(run_program({"merge", file("out"), "--per-minute", file("all.csv")}).status, 2);
    const ProgramResult one = detect({"--out", file("new"), "--events", file("all.events")});
    EXPECT_EQ(one.status, 2);
    EXPECT_NE(one.err.find("merge --events"), std::string::npos) << one.err;
}

TEST_F(SegmentProgram, RejectsOptionsWithoutMeaning) {
    for (const char* seconds : {"0", "-1", "nan", "inf", "x"}) {
        EXPECT_EQ(detect({"--out", file("out"), "--segment", seconds}).status, 2) << seconds;
    }
    EXPECT_EQ(detect({"--segment", "10"}).status, 2);
    EXPECT_EQ(detect({"--out", file("out"), "--segment", "10", "--frames", "5"}).status, 2);
    EXPECT_FALSE(fs::exists(file("out")));
}

}  // namespace
}  // namespace throng
