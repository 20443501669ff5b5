// throng anonymize on videos, as a user calls it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "core/video/av.h"
#include "core/video/video_encoder.h"
#include "tests/support/process_state.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"
#include "tests/unit/anonymize/inspect.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::MediaFacts;
using test::run_program;

const std::vector<std::string> kHaar = {"--detector", "haar", "--encoder", "libx264"};
// Few windows, for tests that do not depend on faces: detection takes most of the time with a sanitizer.
constexpr const char* kLargeFaces = "--min-size=100";
// The faces of a crowd of 640x360 pixels.
constexpr const char* kCrowdFaces = "--min-size=30";

class AnonymizeVideo : public testing::Test {
protected:
    std::string path(const std::string& name) { return (dir_.path() / name).string(); }

    test::ProgramResult anonymize(std::vector<std::string> arguments, const test::ProgramOptions& options = {}) {
        arguments.insert(arguments.begin(), "anonymize");
        arguments.insert(arguments.end(), kHaar.begin(), kHaar.end());
        return run_program(arguments, options);
    }

    nlohmann::json report(const std::string& name) { return nlohmann::json::parse(test::contents(path(name))); }

    // Returns the hidden temporary files of the folder.
    int leftovers() {
        int count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(dir_.path())) {
            count += entry.path().filename().string().starts_with(".throng") ? 1 : 0;
        }
        return count;
    }

    test::ScratchDir dir_;
};

void expect_same_times(const MediaFacts& in, const MediaFacts& out) {
    ASSERT_EQ(in.times.size(), out.times.size());
    for (std::size_t i = 0; i < in.times.size(); ++i) EXPECT_NEAR(in.times[i], out.times[i], 1e-9) << "frame " << i;
}

TEST_F(AnonymizeVideo, WritesNothingButTheHiddenVideo) {
    TH_NEED_FFMPEG();
    test::ffmpeg("-f lavfi -i color=red:s=64x64:d=0.04", path("cover.png"));
    std::ofstream(path("text.srt")) << "1\n00:00:00,000 --> 00:00:02,000\nSubtitle of Alice\n";
    std::ofstream(path("chapters.txt"))
        << ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Alice's chapter\n";
    const std::string in = path("in.mov");
    test::ffmpeg(
        "-f lavfi -i testsrc2=size=320x240:rate=25:duration=2 -f lavfi -i sine=440:duration=2 -f lavfi -i "
        "sine=550:duration=2 -f lavfi -i sine=660:duration=2 -i " +
            path("text.srt") + " -i " + path("cover.png") + " -i " + path("chapters.txt") +
            " -map 0 -map 1 -map 2 -map 3 -map 4 -map 5 -map_chapters 6 -c:v:0 libx264 -bf 3 -c:a aac -c:s mov_text "
            "-c:v:1 png "
            "-disposition:v:1 attached_pic -timecode 01:02:03:04 -metadata title=AliceTitle -metadata "
            "comment=AliceComment -metadata location=+48.1374+011.5755/ -metadata make=AliceCamera -metadata "
            "model=AliceModel -metadata creation_time=2020-01-02T03:04:05Z -metadata:s:v:0 "
            "handler_name=AliceHandler -movflags use_metadata_tags",
        in);
    const MediaFacts before = test::inspect(in);
    ASSERT_GE(before.streams.size(), 6U) << "the input lacks the streams that must be dropped";
    for (const char* secret : {"Alice", "+48.1374"}) ASSERT_TRUE(test::contains(in, secret)) << secret;

    for (const std::string out : {"out.mp4", "out.mov", "out.mkv"}) {
        const auto result = anonymize({in, "--out", path(out), kLargeFaces});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.out.find("3 tracks dropped"), std::string::npos) << result.out;
        EXPECT_NE(result.out.find("encoder libx264"), std::string::npos) << result.out;
        const MediaFacts after = test::inspect(path(out));
        EXPECT_EQ(after.streams, std::vector<std::string>{"video h264"}) << out;
        for (const char* secret : {"Alice", "+48.1374", "2020-01", "01:02:03:04"}) {
            EXPECT_FALSE(test::contains(path(out), secret)) << out << " holds " << secret;
            for (const std::string& entry : after.metadata) EXPECT_EQ(entry.find(secret), std::string::npos) << entry;
        }
        expect_same_times(before, after);
    }
    const auto with_audio = anonymize({in, "--out", path("audio.mp4"), "--audio", "copy", kLargeFaces});
    EXPECT_EQ(with_audio.status, 0) << with_audio.err;
    EXPECT_NE(with_audio.out.find("3 tracks copied"), std::string::npos) << with_audio.out;
    EXPECT_EQ(test::inspect(path("audio.mp4")).streams,
              (std::vector<std::string>{"video h264", "audio aac", "audio aac", "audio aac"}));
    EXPECT_FALSE(test::contains(path("audio.mp4"), "Alice"));
    EXPECT_EQ(leftovers(), 0);
}

TEST_F(AnonymizeVideo, KeepsEveryTimeStampAndTag) {
    TH_NEED_FFMPEG();
    struct Case {
        const char* name;
        const char* arguments;
        const char* out;
    };
    const std::string source = "-f lavfi -i testsrc2=size=320x240:rate=25:duration=2 ";
    const Case cases[] = {
        {"vfr.mp4", "-vf setpts='(N*N/10+N)/25/TB' -vsync vfr -c:v libx264 -bf 3 -video_track_timescale 90000",
         "a.mp4"},
        {"vfr.mkv", "-vf setpts='(N*N/10+N)/25/TB' -vsync vfr -c:v libx264 -bf 2", "b.mkv"},
        {"edit.mp4", "-c:v libx264 -bf 3 -ss 0.52", "c.mp4"},
        {"bt709.mp4",
         "-c:v libx264 -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -aspect 16:9",
         "d.mp4"},
        {"full.mp4",
         "-c:v libx264 -pix_fmt yuvj420p -color_range pc -colorspace smpte170m -color_primaries smpte170m -color_trc "
         "smpte170m",
         "e.mp4"},
        {"ntsc.mov", "-r 30000/1001 -c:v mpeg4 -q:v 3", "f.mov"},
        {"broadcast.ts", "-c:v mpeg2video -q:v 3 -bf 2", "g.mp4"},
        {"web.webm", "-c:v libvpx -b:v 1M", "h.mp4"},
        {"interlaced.mp4", "-vf interlace -c:v libx264 -flags +ildct+ilme -x264opts tff=1", "i.mp4"},
        {"deep.mp4",
         "-c:v libx264 -pix_fmt yuv420p10le -colorspace bt2020nc -color_primaries bt2020 -color_trc smpte2084",
         "j.mp4"},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.name);
        test::ffmpeg(source + each.arguments, path(each.name));
        const auto result = anonymize({path(each.name), "--out", path(each.out), kLargeFaces});
        EXPECT_EQ(result.status, 0) << result.err;
        const MediaFacts before = test::inspect(path(each.name), 3);
        const MediaFacts after = test::inspect(path(each.out), 3);
        expect_same_times(before, after);
        EXPECT_EQ(before.width, after.width);
        EXPECT_EQ(before.height, after.height);
        EXPECT_EQ(before.primaries, after.primaries);
        EXPECT_EQ(before.transfer, after.transfer);
        EXPECT_EQ(before.matrix, after.matrix);
        // Unspecified is limited.
        EXPECT_EQ(before.range == AVCOL_RANGE_JPEG, after.range == AVCOL_RANGE_JPEG);
        EXPECT_EQ(before.interlaced, after.interlaced);
        EXPECT_EQ(before.top_field_first, after.top_field_first);
        const auto square = [](double aspect) { return aspect == 0 ? 1 : aspect; };
        EXPECT_NEAR(square(before.pixel_aspect), square(after.pixel_aspect), 1e-3);
        for (std::size_t i = 0; i < after.gray.size(); ++i) EXPECT_GE(test::psnr(before.gray[i], after.gray[i]), 30);
    }
    const auto text = anonymize({path("deep.mp4"), "--out", path("j.mp4"), kLargeFaces}).out;
    EXPECT_NE(text.find("10-bit input is written with 8 bits"), std::string::npos) << text;
    const auto interlaced = anonymize({path("interlaced.mp4"), "--out", path("i.mp4"), kLargeFaces}).out;
    EXPECT_NE(interlaced.find("stays interlaced"), std::string::npos) << interlaced;
}

// The clock of a recording of a broadcast wraps every 26.5 hours, and that of joined recordings jumps back.
TEST_F(AnonymizeVideo, WritesOneContinuousTime) {
    TH_NEED_FFMPEG();
    constexpr std::int64_t kSecond = 90'000;
    constexpr std::int64_t kWrap = std::int64_t{1} << 33;
    for (const std::string codec : {"libx264", "mpeg2video"}) {
        test::ffmpeg("-f lavfi -i testsrc2=size=160x120:rate=25:duration=2 -f lavfi -i sine=440:duration=2 -c:v " +
                         codec + " -g 10 -bf 2 -c:a mp2 -muxdelay 0",
                     path("part.ts"));
        const std::vector<char> part = test::read_file(path("part.ts"));
        // The muxer of ffmpeg begins at 0.2 s or so: the clock wraps in the second half, and in the first frames.
        test::write_file(path("wraps.ts"), test::with_later_clock(part, kWrap - kSecond));
        test::write_file(path("early.ts"), test::with_later_clock(part, kWrap - kSecond / 3));
        std::vector<char> both = test::with_later_clock(part, 1000 * kSecond);
        both.insert(both.end(), part.begin(), part.end());
        test::write_file(path("joined.ts"), both);
        for (const std::string in : {"wraps", "early", "joined"}) {
            for (const std::string out : {"out.mp4", "out.mkv"}) {
                SCOPED_TRACE(codec + " " + in + " " + out);
                const auto result = anonymize({path(in + ".ts"), "--out", path(out), "--audio", "copy", kLargeFaces});
                EXPECT_EQ(result.status, 0) << result.err;
                const MediaFacts facts = test::inspect(path(out));
                const std::size_t frames = in == "joined" ? 100 : 50;
                ASSERT_EQ(facts.times.size(), frames);
                for (std::size_t i = 0; i < frames; ++i) {
                    ASSERT_NEAR(facts.times[i], static_cast<double>(i) / 25, 2e-3) << i;
                }
                EXPECT_EQ(facts.streams.size(), 2U);
            }
        }
    }
}

TEST_F(AnonymizeVideo, AppliesTheRotation) {
    TH_NEED_FFMPEG();
    test::ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=10:duration=1 -c:v libx264", path("plain.mp4"));
    try {
        test::ffmpeg("-display_rotation:v:0 90 -i " + path("plain.mp4") + " -c copy", path("rotated.mp4"));
    } catch (const std::runtime_error&) {  // FFmpeg before 6 has no such option
        test::ffmpeg("-i " + path("plain.mp4") + " -c copy -metadata:s:v:0 rotate=90", path("rotated.mp4"));
    }
    ASSERT_TRUE(test::inspect(path("rotated.mp4")).has_matrix);
    const auto result = anonymize({path("rotated.mp4"), "--out", path("out.mp4"), kLargeFaces});
    EXPECT_EQ(result.status, 0) << result.err;
    // ffmpeg applies the rotation, too.
    test::ffmpeg("-i " + path("rotated.mp4") + " -c:v libx264 -crf 10", path("expected.mp4"));
    const MediaFacts expected = test::inspect(path("expected.mp4"), 3);
    const MediaFacts after = test::inspect(path("out.mp4"), 3);
    EXPECT_EQ(after.width, 240);
    EXPECT_EQ(after.height, 320);
    EXPECT_FALSE(after.has_matrix);
    ASSERT_EQ(after.gray.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(test::psnr(expected.gray[i], after.gray[i]), 30);
}

TEST_F(AnonymizeVideo, HidesTheFacesOfACrowd) {
    ASSERT_EQ(run_program({"crowd", path("crowd.mp4"), "--faces", "6", "--size", "640x360", "--frames", "20", "--seed",
                           "3", "--truth", path("truth.jsonl")})
                  .status,
              0);
    const auto result = anonymize({path("crowd.mp4"), "--out", path("out.mp4"), kCrowdFaces}, test::own_process());
    EXPECT_EQ(result.status, 0) << result.err;
    const auto count = [&](const std::string& video) {
        const auto found = run_program({"detect", path(video), "--detector", "haar", "--min-hits", "3", kCrowdFaces,
                                        "--json", path("found.jsonl")});
        EXPECT_EQ(found.status, 0) << found.err;
        std::size_t faces = 0;
        std::ifstream lines(path("found.jsonl"));
        for (std::string line; std::getline(lines, line);) {
            faces += nlohmann::json::parse(line).at("kept").size();
        }
        return faces;
    };
    const std::size_t before = count("crowd.mp4");
    const std::size_t after = count("out.mp4");
    EXPECT_GE(before, 60U);
    EXPECT_LE(after * 20, before) << after << " of " << before << " faces are still found";
    const nlohmann::json file = report("out.report.json").at("files").at(0);
    EXPECT_EQ(file.at("frames"), 20);
    EXPECT_EQ(file.at("frames_hidden_whole"), 0);
    EXPECT_GE(file.at("tracks").size(), 4U);
    EXPECT_EQ(file.at("output_sha256").get<std::string>().size(), 64U);
    EXPECT_TRUE(test::contains(path("out.report.html"), "</html>"));
}

TEST_F(AnonymizeVideo, WritesWhatIsHiddenInEachFrame) {
    ASSERT_EQ(run_program({"crowd", path("crowd.mp4"), "--faces", "6", "--size", "640x360", "--frames", "10", "--fps",
                           "10", "--truth", path("truth.jsonl")})
                  .status,
              0);
    const std::vector<std::string> hide = {path("crowd.mp4"), "--out",         path("out.mp4"), "--only",   "0.25-",
                                           "--regions",       path("r.jsonl"), "--style=solid", kCrowdFaces};
    const auto result = anonymize(hide);
    EXPECT_EQ(result.status, 0) << result.err;
    const MediaFacts before = test::inspect(path("crowd.mp4"), 10);
    const MediaFacts after = test::inspect(path("out.mp4"), 10);
    std::ifstream lines(path("r.jsonl"));
    std::string line;
    std::size_t ellipses = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        ASSERT_TRUE(std::getline(lines, line)) << i;
        const nlohmann::json json = nlohmann::json::parse(line);
        EXPECT_EQ(json.at("frame"), i);
        EXPECT_EQ(json.at("source"), path("crowd.mp4"));
        EXPECT_EQ(json.at("width"), 640);
        EXPECT_FALSE(json.at("whole").get<bool>());
        EXPECT_EQ(json.at("ellipses").empty(), i < 2) << "outside --only, frame " << i;
        ellipses += json.at("ellipses").size();
        // A face of one color: its center differs from the input's, and the encoder changes little elsewhere.
        for (const nlohmann::json& ellipse : json.at("ellipses")) {
            const auto center_x = static_cast<int>(ellipse.at("x").get<double>() + ellipse.at("w").get<double>() / 2);
            const auto center_y = static_cast<int>(ellipse.at("y").get<double>() + ellipse.at("h").get<double>() / 2);
            if (center_x < 8 || center_y < 8 || center_x >= 632 || center_y >= 352) continue;
            int low = 255;
            int high = 0;
            for (int y = center_y - 4; y < center_y + 4; ++y) {
                for (int x = center_x - 4; x < center_x + 4; ++x) {
                    low = std::min<int>(low, after.gray[i][static_cast<std::size_t>(y * 640 + x)]);
                    high = std::max<int>(high, after.gray[i][static_cast<std::size_t>(y * 640 + x)]);
                }
            }
            EXPECT_LE(high - low, 24) << "frame " << i << ": not one color";
        }
    }
    EXPECT_FALSE(std::getline(lines, line));
    EXPECT_GE(ellipses, 8U);
    const auto leaks = run_program({"eval", path("truth.jsonl"), path("r.jsonl"), "--leaks", "--detector", "haar",
                                    "--json", "--sizes", path("sizes.csv"), "--plot", path("sizes.svg")});
    ASSERT_EQ(leaks.status, 0) << leaks.err;
    const nlohmann::json hidden = nlohmann::json::parse(leaks.out).at("anonymize");
    EXPECT_GE(hidden.at("leaks"), hidden.at("face_frames").get<int>() / 10) << "frames outside --only";
    EXPECT_LT(hidden.at("leaks"), hidden.at("face_frames"));
    EXPECT_TRUE(test::contains(path("sizes.csv"), "from,to,face_frames,leaks\n"));
    EXPECT_TRUE(test::contains(path("sizes.svg"), "anonymize"));

    fs::create_directory(path("folder"));
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{path("crowd.mp4"), "--out", path("folder"), "--regions", path("new.jsonl")},
          {path("crowd.mp4"), "--out", path("out.mp4"), "--regions", path("crowd.mp4")},
          {path("crowd.mp4"), "--out", path("out.mp4"), "--regions", path("out.mp4")},
          {path("crowd.mp4"), "--out", path("out.mp4"), "--regions", "-"}}) {
        EXPECT_EQ(anonymize(wrong).status, 2) << wrong.back();
    }
    EXPECT_FALSE(fs::exists(path("new.jsonl")));
}

TEST_F(AnonymizeVideo, LeavesFramesOutsideTheSpansAsTheyAre) {
    ASSERT_EQ(
        run_program({"crowd", path("in.mp4"), "--faces", "6", "--size", "640x360", "--frames", "20", "--fps", "10"})
            .status,
        0);
    const auto result = anonymize({path("in.mp4"), "--out", path("out.mp4"), "--only", "0.45-0.9", kCrowdFaces});
    EXPECT_EQ(result.status, 0) << result.err;
    const MediaFacts before = test::inspect(path("in.mp4"), 20);
    const MediaFacts after = test::inspect(path("out.mp4"), 20);
    for (std::size_t i = 0; i < 20; ++i) {
        // A frame that is shown until the span begins belongs to it.
        const bool hidden = i >= 4 && i <= 9;
        const double similarity = test::psnr(before.gray[i], after.gray[i]);
        EXPECT_EQ(similarity < 32, hidden) << "frame " << i << ": " << similarity << " dB";
        if (!hidden) {
            EXPECT_GE(similarity, 38) << "the default quality changes visible pixels, frame " << i;
        }
    }
    EXPECT_EQ(report("out.report.json").at("files").at(0).at("frames_not_hidden"), 14);
    for (const char* bad : {"3", "5-2", "1-2,", "a-b", "1:75-2:00", "-4"}) {
        EXPECT_EQ(anonymize({path("in.mp4"), "--out", path("x.mp4"), std::string("--only=") + bad}).status, 2) << bad;
    }
    EXPECT_FALSE(fs::exists(path("x.mp4")));
}

// Without a frame to hide, the output would be the input.
TEST_F(AnonymizeVideo, RejectsSpansWithoutFrames) {
    for (const char* frames : {"10", "20"}) {
        ASSERT_EQ(run_program({"crowd", path(std::string(frames) + ".mp4"), "--faces", "2", "--size", "320x240",
                               "--frames", frames, "--fps", "10"})
                      .status,
                  0);
    }
    // 10 frames until 1.0 s.
    for (const char* span : {"5-", "1.5-2", "3-4,1:00-"}) {
        SCOPED_TRACE(span);
        const auto none = anonymize({path("10.mp4"), "--out", path("out.mp4"), "--only", span, kLargeFaces});
        EXPECT_EQ(none.status, 2) << none.err;
        EXPECT_NE(none.err.find(std::string("no frame is in --only ") + span), std::string::npos) << none.err;
        EXPECT_FALSE(fs::exists(path("out.mp4")));
    }
    const auto some = anonymize({path("10.mp4"), "--out", path("out.mp4"), "--only", "0.5-0.6,5-6", kLargeFaces});
    EXPECT_EQ(some.status, 3) << some.err;
    EXPECT_NE(some.err.find("no frame is in --only 5-6"), std::string::npos) << some.err;
    EXPECT_TRUE(fs::exists(path("out.mp4")));
    EXPECT_EQ(report("out.report.json").at("files").at(0).at("status"), "incomplete");
    EXPECT_EQ(anonymize({path("10.mp4"), "--out", path("out.mp4"), "--only", "0.9-9", kLargeFaces}).status, 0);

    // In a folder, by file; the parts of a video are one video.
    fs::create_directory(path("in"));
    fs::rename(path("10.mp4"), path("in/10.mp4"));
    for (const char* segment : {"0", "1"}) {
        SCOPED_TRACE(segment);
        const std::string out = path(std::string("out") + segment);
        std::vector<std::string> hide = {path("in"), "--out", out, "--only", "1.5-", kLargeFaces};
        if (*segment != '0') hide.insert(hide.end(), {"--segment", segment});
        const auto all = anonymize(hide);
        EXPECT_EQ(all.status, 2) << all.err;
        EXPECT_FALSE(fs::exists(out + "/10.mp4"));
        fs::copy_file(path("20.mp4"), path("in/20.mp4"));
        hide.emplace_back("--resume");
        const auto one = anonymize(hide);
        EXPECT_EQ(one.status, 3) << one.err;
        EXPECT_NE(one.out.find("1 failed"), std::string::npos) << one.out;
        EXPECT_FALSE(fs::exists(out + "/10.mp4"));
        EXPECT_TRUE(fs::exists(out + "/20.mp4"));
        fs::remove(path("in/20.mp4"));
    }
}

TEST_F(AnonymizeVideo, KeepsATrackOfItsReportOnly) {
    for (const char* seed : {"3", "4"}) {
        ASSERT_EQ(run_program({"crowd", path(std::string(seed) + ".mp4"), "--faces", "5", "--size", "640x360",
                               "--frames", "12", "--seed", seed})
                      .status,
                  0);
    }
    ASSERT_EQ(anonymize({path("3.mp4"), "--out", path("a.mp4")}).status, 0);
    const nlohmann::json tracks = report("a.report.json").at("files").at(0).at("tracks");
    const auto longest = std::max_element(tracks.begin(), tracks.end(), [](const auto& a, const auto& b) {
        return a.at("detected").template get<int>() < b.at("detected").template get<int>();
    });
    const auto id = longest->at("id").get<std::int64_t>();
    const std::string keep = std::to_string(id) + "@" + path("a.report.json");

    ASSERT_EQ(anonymize({path("3.mp4"), "--out", path("b.mp4"), "--keep", keep}).status, 0);
    const nlohmann::json kept = report("b.report.json").at("files").at(0);
    int visible = 0;
    for (const nlohmann::json& track : kept.at("tracks")) visible += track.at("kept").get<bool>() ? 1 : 0;
    EXPECT_EQ(visible, 1);
    EXPECT_LT(kept.at("faces_detected"), report("a.report.json").at("files").at(0).at("faces_detected"));

    const auto rejected = [&](std::vector<std::string> arguments, const std::string& message) {
        arguments.insert(arguments.end(), {"--out", path("c.mp4")});
        const auto result = anonymize(arguments);
        EXPECT_NE(result.status, 0);
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
        EXPECT_FALSE(fs::exists(path("c.mp4")));
    };
    rejected({path("4.mp4"), "--keep", keep}, "not an input");
    rejected({path("3.mp4"), "--keep", keep, "--margin", "0.1"}, "margin");
    rejected({path("3.mp4"), "--keep", "999@" + path("a.report.json")}, "no track 999");
    rejected({path("3.mp4"), "--keep", "1@" + path("3.mp4")}, "is not a report");
    rejected({path("3.mp4"), "--keep", "x"}, "ID@REPORT.json");
    std::string text = test::contents(path("a.report.json"));
    const std::size_t version = text.find("\"version\": \"") + 12;
    std::ofstream(path("old.json")) << text.replace(version, 1, "9");
    rejected({path("3.mp4"), "--keep", std::to_string(id) + "@" + path("old.json")}, "version");
}

TEST_F(AnonymizeVideo, HidesWhatIsDamaged) {
    TH_NEED_FFMPEG();
    test::ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=25:duration=6 -c:v libx264 -g 25 -bf 2", path("good.mp4"));
    ASSERT_EQ(anonymize({path("good.mp4"), "--out", path("good_out.mp4"), kLargeFaces}).status, 0);
    EXPECT_EQ(report("good_out.report.json").at("files").at(0).at("frames_hidden_whole"), 0);

    std::vector<char> bytes = test::read_file(path("good.mp4"));
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 3000; ++i) bytes[i] = static_cast<char>(i * 37);
    test::write_file(path("bad.mp4"), bytes);
    const auto result = anonymize({path("bad.mp4"), "--out", path("bad_out.mp4"), kLargeFaces});
    EXPECT_EQ(result.status, 3) << result.err;
    const nlohmann::json file = report("bad_out.report.json").at("files").at(0);
    EXPECT_EQ(file.at("status"), "incomplete");
    EXPECT_GE(file.at("frames_hidden_whole"), 1);
    EXPECT_LT(file.at("frames_hidden_whole"), 120) << "hiding does not end at the next key frame";

    bytes = test::read_file(path("good.mp4"));
    test::ffmpeg("-i " + path("good.mp4") + " -c copy", path("good.mkv"));
    bytes = test::read_file(path("good.mkv"));
    bytes.resize(bytes.size() / 2);
    test::write_file(path("cut.mkv"), bytes);
    const auto cut = anonymize({path("cut.mkv"), "--out", path("cut_out.mkv"), kLargeFaces});
    EXPECT_EQ(cut.status, 3) << cut.err;
    EXPECT_GE(test::inspect(path("cut_out.mkv")).times.size(), 40U);
}

TEST_F(AnonymizeVideo, ScalesFramesOfAnotherSize) {
    TH_NEED_FFMPEG();
    test::ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=25:duration=1 -c:v libx264", path("1.h264"));
    test::ffmpeg("-f lavfi -i testsrc2=size=480x240:rate=25:duration=1 -c:v libx264", path("2.h264"));
    std::vector<char> bytes = test::read_file(path("1.h264"));
    const std::vector<char> second = test::read_file(path("2.h264"));
    bytes.insert(bytes.end(), second.begin(), second.end());
    test::write_file(path("both.h264"), bytes);
    const auto result = anonymize({path("both.h264"), "--out", path("out.mp4"), kLargeFaces});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("25 frames are scaled to fit 320x240"), std::string::npos) << result.out;
    const MediaFacts facts = test::inspect(path("out.mp4"));
    EXPECT_EQ(facts.times.size(), 50U);
    EXPECT_EQ(facts.width, 320);
}

TEST_F(AnonymizeVideo, NeverOverwritesAnInput) {
    ASSERT_EQ(run_program({"crowd", path("in.mp4"), "--faces", "2", "--size", "320x240", "--frames", "5"}).status, 0);
    fs::create_symlink(path("in.mp4"), path("link.mp4"));
    fs::create_hard_link(path("in.mp4"), path("hard.mp4"));
    fs::create_directory(path("folder"));
    const std::string before = test::contents(path("in.mp4"));
    for (const std::string& out :
         {path("in.mp4"), path("link.mp4"), path("hard.mp4"), path("folder/../in.mp4"), dir_.path().string()}) {
        const auto result = anonymize({path("in.mp4"), "--out", out});
        EXPECT_EQ(result.status, 2) << out;
        EXPECT_NE(result.err.find("would overwrite the input"), std::string::npos) << result.err;
    }
    EXPECT_EQ(test::contents(path("in.mp4")), before);
    // An earlier result is replaced only by a complete new one.
    std::ofstream(path("out.mp4")) << "earlier";
    EXPECT_EQ(anonymize({path("in.mp4"), "--out", path("out.mp4")}).status, 0);
    EXPECT_NE(test::contents(path("out.mp4")), "earlier");
}

TEST_F(AnonymizeVideo, LeavesNothingAfterAnInterruptionOrOnAFullDisk) {
    ASSERT_EQ(run_program({"crowd", path("in.mp4"), "--faces", "8", "--size", "640x480", "--frames", "60"}).status, 0);
    test::ProgramOptions interrupted;
    interrupted.meanwhile = [&](int pid) {
        if (!test::handles_signals(pid) || !test::has_opened(pid, path("in.mp4"))) return true;
        ::kill(pid, SIGINT);
        return false;
    };
    const auto stopped = anonymize({path("in.mp4"), "--out", path("out.mp4")}, interrupted);
    EXPECT_EQ(stopped.status, 130) << stopped.err;
    EXPECT_FALSE(fs::exists(path("out.mp4")));
    EXPECT_EQ(leftovers(), 0);

    test::ProgramOptions full;
    full.max_file_size = 20'000;
    const auto failed = anonymize({path("in.mp4"), "--out", path("out.mp4"), kLargeFaces}, full);
    EXPECT_EQ(failed.status, 3) << failed.err;
    EXPECT_FALSE(fs::exists(path("out.mp4")));
    EXPECT_EQ(leftovers(), 0);
}

TEST_F(AnonymizeVideo, ReportsBrokenFilesAndDoesTheOthers) {
    fs::create_directories(path("in/below"));
    ASSERT_EQ(run_program({"crowd", path("in/good.mp4"), "--faces", "2", "--size", "320x240", "--frames", "5"}).status,
              0);
    ASSERT_EQ(run_program({"crowd", path("in/below/photo.png"), "--faces", "2", "--size", "320x240"}).status, 0);
    std::ofstream(path("in/broken.mp4")) << "no video";
    std::ofstream(path("in/broken.jpg")) << "no image";
    std::ofstream(path("in/notes.txt")) << "text";
    const auto result = anonymize({path("in"), "--out", path("out")});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("broken.mp4"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("broken.jpg"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("4 of 4 files, 0 skipped, 0 incomplete, 2 failed"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("1 other file in the folders is not an input"), std::string::npos) << result.err;
    EXPECT_TRUE(fs::exists(path("out/good.mp4")));
    EXPECT_TRUE(fs::exists(path("out/below/photo.png")));
    EXPECT_FALSE(fs::exists(path("out/broken.mp4")));
    EXPECT_FALSE(fs::exists(path("out/broken.jpg")));
    EXPECT_EQ(report("out/anonymize-report.json").at("files").size(), 4U);
    EXPECT_EQ(anonymize({path("missing.mp4"), "--out", path("x.mp4")}).status, 3);
    EXPECT_EQ(run_program({"anonymise", path("missing.mp4"), "--out", path("x.mp4"), "--detector", "haar"}).status, 3);
    EXPECT_EQ(anonymize({path("in/notes.txt"), "--out", path("x.mp4")}).status, 3);
}

TEST_F(AnonymizeVideo, CopiesAudioThatIsLongerThanTheVideoAndReportsACutFile) {
    TH_NEED_FFMPEG();
    test::ffmpeg(
        "-f lavfi -i testsrc2=size=160x120:rate=25:duration=1 -f lavfi -i sine=440:duration=4 -c:v libx264 -c:a aac "
        "-movflags +faststart",
        path("in.mp4"));
    const auto copy = [&](const std::string& in) {
        return anonymize({path(in), "--out", path("out.mp4"), "--audio", "copy", "--report", path("r"), kLargeFaces});
    };
    const auto packets = [&] { return test::num_packets(path("out.mp4"), AVMEDIA_TYPE_AUDIO); };
    const auto whole = copy("in.mp4");
    EXPECT_EQ(whole.status, 0) << whole.err;
    EXPECT_GE(packets(), 172);
    std::vector<char> bytes = test::read_file(path("in.mp4"));
    bytes.resize(bytes.size() * 3 / 4);
    test::write_file(path("cut.mp4"), bytes);
    const auto cut = copy("cut.mp4");
    EXPECT_EQ(cut.status, 3) << cut.err;
    EXPECT_NE(cut.err.find("the audio ends early"), std::string::npos) << cut.err;
    EXPECT_EQ(report("r.json").at("files").at(0).at("status"), "incomplete");
    EXPECT_GE(packets(), 60);

    test::ffmpeg("-i " + path("in.mp4") + " -itsoffset 2 -i " + path("in.mp4") + " -map 1:v -map 0:a -c copy",
                 path("late.mp4"));
    const auto late = copy("late.mp4");
    EXPECT_EQ(late.status, 0) << late.err;
    EXPECT_NE(late.out.find("2.0 s of audio before the first frame left out"), std::string::npos) << late.out;
}

TEST_F(AnonymizeVideo, UsesAnEncoderThatPassesTheProbe) {
    ASSERT_EQ(run_program({"crowd", path("in.mp4"), "--faces", "2", "--size", "320x240", "--frames", "5"}).status, 0);
    const auto run = [&](const std::string& script, const std::string& encoder) {
        std::ofstream(path("probe")) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(path("probe"), fs::perms::owner_all);
        test::ProgramOptions options;
        options.environment = {"THRONG_ENCODER_PROBE=" + path("probe")};
        return run_program(
            {"anonymize", path("in.mp4"), "--out", path("out.mp4"), "--detector", "haar", "--encoder", encoder},
            options);
    };
    const auto none = run("[ $1 = libx264 ] || { echo no device; exit 4; }", "auto");
    EXPECT_EQ(none.status, 0) << none.err;
    EXPECT_NE(none.out.find("encoder libx264 ("), std::string::npos) << none.out;
    EXPECT_NE(none.out.find("no device"), std::string::npos) << none.out;
    const auto crash = run("[ $1 = libx264 ] || kill -SEGV $$", "auto");
    EXPECT_EQ(crash.status, 0) << crash.err;
    EXPECT_NE(crash.out.find("crashed"), std::string::npos) << crash.out;
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    struct sigaction before {};
    ASSERT_EQ(::sigaction(SIGCHLD, &ignored, &before), 0);  // then nobody knows how a child has ended
    const std::string unknown = probe_encoder("h264_v4l2m2m", {"/bin/false"}, std::chrono::milliseconds(5000)).details;
    ASSERT_EQ(::sigaction(SIGCHLD, &before, nullptr), 0);
    EXPECT_NE(unknown, "") << "a probe that failed";
    const auto hang = run("[ $1 != h264_nvenc ] || sleep 100; [ $1 = libx264 ] || exit 4", "auto");
    EXPECT_EQ(hang.status, 0) << hang.err;
    EXPECT_NE(hang.out.find("within 5 s"), std::string::npos) << hang.out;
    const auto named = run("exit 4", "h264_vaapi");
    EXPECT_EQ(named.status, 4) << named.err;
    // A probe that lies: the encoder fails later, and nothing is written.
    fs::remove(path("out.mp4"));
    const auto lies = run("exit 0", "h264_v4l2m2m");
    EXPECT_EQ(lies.status, 4) << lies.err;
    EXPECT_FALSE(fs::exists(path("out.mp4")));
}

}  // namespace
}  // namespace throng
