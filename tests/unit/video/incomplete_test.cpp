// Incomplete input is reported, complete input is not. Also tests files with difficult time stamps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/video/media_file_source.h"
#include "core/video/source.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::ffmpeg;
using test::ScratchDir;

struct Outcome {
    std::vector<double> pts;
    std::string incomplete;
};

Outcome read_all(const std::string& spec) {
    auto source = open_source(spec);
    Outcome outcome;
    Frame frame;
    while (source->read(frame, {}) != ReadStatus::end) outcome.pts.push_back(frame.info().pts);
    outcome.incomplete = source->incomplete();
    return outcome;
}

std::string clip(const std::string& coding, int seconds = 3) {
    return "-f lavfi -i testsrc=size=64x48:rate=10 -t " + std::to_string(seconds) + " -pix_fmt yuv420p " + coding;
}

// Writes the first part of a file into another one.
std::string cut(const fs::path& whole, double part) {
    std::vector<char> bytes = test::read_file(whole);
    bytes.resize(static_cast<std::size_t>(static_cast<double>(bytes.size()) * part));
    const fs::path path = whole.parent_path() / ("cut_" + whole.filename().string());
    test::write_file(path, bytes);
    return path.string();
}

TEST(Incomplete, CompleteFilesAreNotReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    struct Case {
        const char* name;
        std::string arguments;
        std::size_t frames;
    };
    const std::string open_groups = "-c:v libx264 -bf 3 -x264-params open-gop=1:keyint=12:scenecut=0";
    for (const Case& healthy : {
             Case{"b_frames.mp4", clip("-c:v libx264 -g 12 -bf 3"), 30},
             Case{"first_index.mp4", clip("-c:v libx264 -movflags +faststart"), 30},
             Case{"fragments.mp4", clip("-c:v libx264 -g 5 -movflags +frag_keyframe+empty_moov"), 30},
             Case{"a.mkv", clip("-c:v libx264"), 30},
             Case{"late.mkv", clip("-c:v libx264 -output_ts_offset 7"), 30},
             Case{"a.ts", clip("-c:v libx264 -bf 2"), 30},
             Case{"a.avi", clip("-c:v mpeg4 -bf 2"), 30},
             Case{"a.webm", clip("-c:v libvpx -deadline realtime"), 30},
             Case{"a.flv", clip("-c:v flv"), 30},
             Case{"open.h264", clip(open_groups), 30},
             Case{"open.ts", clip(open_groups), 30},
             Case{"a.gif", clip(""), 30},
             Case{"one.mp4", clip("-frames:v 1 -c:v libx264"), 1},
             Case{"one.h264", clip("-frames:v 1 -c:v libx264"), 1},
             Case{"one.gif", clip("-frames:v 1"), 1},
             Case{"variable.mp4", clip("-vf setpts=N*N/20/TB -vsync passthrough -frames:v 8 -c:v libx264"), 8},
             Case{"live.mkv", clip("-c:v libx264 -g 5 -live 1"), 30},
             Case{"live.webm", clip("-c:v libvpx -deadline realtime -live 1"), 30},
             Case{"a.ogv", clip("-c:v libtheora"), 30},
             Case{"a.nut", clip("-c:v mpeg4"), 30},
             Case{"a.m2ts", clip("-c:v libx264 -bf 2"), 30},
             Case{"a.mpg", clip("-c:v mpeg2video -r 25"), 75},
             Case{"a.exr", clip("-frames:v 1 -pix_fmt gbrpf32le"), 1},
             Case{"zip.exr", clip("-frames:v 1 -pix_fmt gbrpf32le -compression zip16"), 1},
             Case{"a.m3u8", clip("-c:v libx264 -g 5 -hls_time 0.5 -hls_list_size 0"), 30},
             Case{"variable.mkv", clip("-vf setpts=N*N/20/TB -vsync passthrough -frames:v 8 -c:v libx264"), 8},
         }) {
        const fs::path path = scratch.path() / healthy.name;
        ffmpeg(healthy.arguments, path);
        const Outcome outcome = read_all(path.string());
        EXPECT_EQ(outcome.incomplete, "") << healthy.name;
        EXPECT_EQ(outcome.pts.size(), healthy.frames) << healthy.name;
    }
    // An edit list, and a video that is shorter than its sound.
    ffmpeg("-ss 1.7 -i " + (scratch.path() / "b_frames.mp4").string() + " -c copy", scratch.path() / "edited.mov");
    EXPECT_EQ(read_all((scratch.path() / "edited.mov").string()).incomplete, "");
    for (const char* name : {"sound.mp4", "sound.mkv", "sound.ts", "sound.flv"}) {
        ffmpeg("-i " + (scratch.path() / "a.mkv").string() + " -f lavfi -i sine=duration=6 -c:v copy -c:a aac",
               scratch.path() / name);
        EXPECT_EQ(read_all((scratch.path() / name).string()).incomplete, "") << name;
    }
    for (const char* name : {"short_sound.ogv", "long_sound.ogv"}) {
        const std::string seconds = name[0] == 's' ? "1" : "6";
        ffmpeg("-i " + (scratch.path() / "a.ogv").string() + " -f lavfi -i sine=duration=" + seconds +
                   " -c:v copy -c:a libvorbis",
               scratch.path() / name);
        EXPECT_EQ(read_all((scratch.path() / name).string()).incomplete, "") << name;
    }
    const fs::path data = test::data_dir().value_or("");
    for (const fs::path& folder : {data / "videos", data.parent_path() / "foreign/h264"}) {
        if (data.empty() || !fs::is_directory(folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == ".txt" || entry.file_size() > (4U << 20)) continue;
            EXPECT_EQ(read_all(entry.path().string()).incomplete, "") << entry.path();
        }
    }
}

// Programs that cut a file, or change its format, copy the tag of the whole one.
TEST(Incomplete, AStaleTagOfTheDurationIsNoEarlyEnd) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    ffmpeg(clip("-c:v libtheora -metadata:s:v DURATION=00:00:09.000000000"), scratch.path() / "a.ogv");
    ASSERT_NE(std::string(test::read_file(scratch.path() / "a.ogv").data(), 4096).find("00:00:09"), std::string::npos);
    EXPECT_EQ(read_all((scratch.path() / "a.ogv").string()).incomplete, "");
    for (const char* name : {"a.mkv", "a.webm"}) {
        const fs::path path = scratch.path() / name;
        ffmpeg(clip(path.extension() == ".mkv" ? "-c:v libx264 -g 5" : "-c:v libvpx -deadline realtime"), path);
        std::vector<char> bytes = test::read_file(path);
        const std::string_view text(bytes.data(), bytes.size());
        const std::size_t tag = text.find("00:00:03.000000000");
        ASSERT_NE(tag, std::string_view::npos) << name;
        bytes[tag + 7] = '9';
        test::write_file(path, bytes);
        EXPECT_EQ(read_all(path.string()).incomplete, "") << name;
        EXPECT_NE(read_all(cut(path, 0.6)).incomplete, "") << name;
    }
}

// A recording may begin anywhere: the references of its first frames were never in the file.
TEST(Incomplete, ARecordingThatBeginsBetweenKeyFramesIsNotReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto expect_whole = [&](const char* name) {
        const Outcome outcome = read_all((scratch.path() / name).string());
        EXPECT_EQ(outcome.incomplete, "") << name;
        EXPECT_GT(outcome.pts.size(), 3U) << name;
    };
    const std::string open_groups = "-c:v libx264 -bf 3 -x264-params open-gop=1:keyint=12:scenecut=0";
    for (const char* coding : {open_groups.c_str(), "-c:v libx264 -g 12"}) {
        ffmpeg(clip(coding), scratch.path() / "whole.ts");
        std::vector<char> bytes = test::read_file(scratch.path() / "whole.ts");
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 188 / 5 * 188));
        test::write_file(scratch.path() / "middle.ts", bytes);
        expect_whole("middle.ts");
    }
    ffmpeg(clip(open_groups), scratch.path() / "open.ts");
    ffmpeg("-ss 1.2 -i " + (scratch.path() / "open.ts").string() + " -c copy", scratch.path() / "later.mkv");
    expect_whole("later.mkv");
}

TEST(Incomplete, ATruncatedFileIsDecodedAndReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    struct Case {
        const char* name;
        const char* coding;
        const char* words;
    };
    for (const Case& expected : {Case{"a.mp4", "-c:v libx264 -g 5 -movflags +faststart", "the file ends early: after"},
                                 Case{"a.mkv", "-c:v libx264 -g 5", "the file ends early: after"},
                                 Case{"a.webm", "-c:v libvpx -deadline realtime", "the file ends early: after"},
                                 Case{"a.avi", "-c:v mpeg4", ""}, Case{"a.h264", "-c:v libx264 -g 5", "damaged"},
                                 Case{"a.gif", "", "the file ends early"}}) {
        ffmpeg(clip(expected.coding), scratch.path() / expected.name);
        const Outcome outcome = read_all(cut(scratch.path() / expected.name, 0.6));
        EXPECT_GT(outcome.pts.size(), 5U) << expected.name;
        EXPECT_LT(outcome.pts.size(), 30U) << expected.name;
        EXPECT_NE(outcome.incomplete, "") << expected.name;
        EXPECT_NE(outcome.incomplete.find(expected.words), std::string::npos) << outcome.incomplete;
    }
}

// Formats without a length: the file is truncated in its last bytes, so that only its structure shows missing data.
TEST(Incomplete, ATruncatedFileWithoutALengthIsReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    struct Case {
        const char* name;
        const char* coding;
        const char* words;
    };
    const char* const early = "the file ends early";
    for (const Case& requested :
         {Case{"live.mkv", "-c:v libx264 -g 5 -live 1", early},
          Case{"live.webm", "-c:v libvpx -deadline realtime -live 1", early}, Case{"a.ogv", "-c:v libtheora", early},
          Case{"a.ts", "-c:v libx264", early}, Case{"a.m2ts", "-c:v libx264", early},
          Case{"a.nut", "-c:v mpeg4 -write_index 0", "damaged"},
          Case{"a.exr", "-frames:v 1 -pix_fmt gbrpf32le", "cut short"},
          Case{"zip.exr", "-frames:v 1 -pix_fmt gbrpf32le -compression zip16", "cut short"}}) {
        const fs::path whole = scratch.path() / requested.name;
        ffmpeg(clip(requested.coding), whole);
        const auto size = static_cast<double>(fs::file_size(whole));
        for (const double part : {1 - 1 / size, 1 - 30 / size, 0.803}) {
            const Outcome outcome = read_all(cut(whole, part));
            EXPECT_GT(outcome.pts.size(), 0U) << requested.name << " " << part;
            EXPECT_NE(outcome.incomplete.find(requested.words), std::string::npos)
                << requested.name << " " << part << outcome.incomplete;
        }
    }
    // The header of a fragment and the boxes in front of it, which the demuxer ignores.
    ffmpeg(clip("-c:v libx264 -g 5 -movflags +frag_keyframe+empty_moov"), scratch.path() / "fragments.mp4");
    const std::vector<char> fragments = test::read_file(scratch.path() / "fragments.mp4");
    const std::size_t last = std::string_view(fragments.data(), fragments.size()).rfind("moof");
    const std::string_view head(fragments.data() + last - 4, 64);
    using namespace std::string_view_literals;
    for (const std::string_view part :
         {head, head.substr(0, 8), head.substr(0, 7), head.substr(0, 1), "\0\0\0\1moof\0\0"sv, "\0\0\0\30stypmsdh"sv,
          "\0\0\0\100emsg"sv, "\0\0\0\40prft"sv, ""sv}) {
        std::vector<char> bytes(fragments.begin(), fragments.begin() + static_cast<std::ptrdiff_t>(last - 4));
        bytes.insert(bytes.end(), part.begin(), part.end());
        test::write_file(scratch.path() / "header.mp4", bytes);
        const Outcome outcome = read_all((scratch.path() / "header.mp4").string());
        EXPECT_EQ(outcome.pts.size(), 25U);
        EXPECT_EQ(outcome.incomplete.find(early) != std::string::npos, !part.empty()) << part << outcome.incomplete;
    }
    // The last page is complete, but has no end-of-stream flag.
    const std::vector<char> bytes = test::read_file(scratch.path() / "a.ogv");
    const std::string_view text(bytes.data(), bytes.size());
    test::write_file(scratch.path() / "page.ogv", {bytes.data(), bytes.data() + text.rfind("OggS")});
    EXPECT_NE(read_all((scratch.path() / "page.ogv").string()).incomplete.find(early), std::string::npos);
}

// The frames from the damage to the next key frame are damaged, for both readers of files.
TEST(Incomplete, DamagedFramesAreMarkedUpToTheNextKeyFrame) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    ffmpeg("-f lavfi -i testsrc2=size=160x120:rate=25:duration=4 -c:v libx264 -g 25 -bf 2 -threads 1", path);
    // The decoder's threads decide when an error is reported, so the first damaged frame may differ.
    const auto damaged_frames = [&] {
        std::array<std::vector<bool>, 2> damaged;
        auto source = open_source(path);
        for (Frame frame; source->read(frame, {}) != ReadStatus::end;) damaged[0].push_back(frame.info().damaged);
        MediaFileSource reader(path, {});
        for (ExactFrame frame; reader.read_exact(frame, {});) damaged[1].push_back(frame.frame.info().damaged);
        return damaged;
    };
    for (const std::vector<bool>& good : damaged_frames()) {
        EXPECT_EQ(good.size(), 100U);
        EXPECT_EQ(std::count(good.begin(), good.end(), true), 0);
    }

    std::vector<char> bytes = test::read_file(path);
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 400; ++i) bytes[i] = static_cast<char>(i * 37);
    test::write_file(path, bytes);
    for (const std::vector<bool>& bad : damaged_frames()) {
        EXPECT_GE(std::count(bad.begin(), bad.end(), true), 1);
        ASSERT_GT(bad.size(), 90U);
        EXPECT_FALSE(bad.front());
        EXPECT_FALSE(bad.back()) << "hiding does not end at the next key frame";
    }
}

// No decoder reports packets that are missing, but the frames after them refer to what was there.
TEST(Incomplete, FramesAfterAGapAreMarkedUpToTheNextKeyFrame) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto expect_damage = [&](const char* name, std::size_t begin, std::size_t end, std::vector<char> bytes) {
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                    bytes.begin() + static_cast<std::ptrdiff_t>(end));
        const fs::path path = scratch.path() / name;
        test::write_file(path, bytes);
        const auto source = open_source(path.string());
        std::vector<bool> damaged;
        std::vector<double> pts;
        for (Frame frame; source->read(frame, {}) != ReadStatus::end;) {
            damaged.push_back(frame.info().damaged);
            pts.push_back(frame.info().pts);
        }
        ASSERT_GT(damaged.size(), 50U) << name;
        std::size_t gap = 1;
        while (gap < pts.size() && pts[gap] - pts[gap - 1] < 0.06) ++gap;
        for (std::size_t i = gap; i < std::min(gap + 3, pts.size()); ++i) EXPECT_TRUE(damaged[i]) << name << " " << i;
        EXPECT_GE(std::count(damaged.begin(), damaged.end(), true), 3) << name;
        EXPECT_FALSE(damaged.front()) << name;
        EXPECT_FALSE(damaged.back()) << name;
        EXPECT_NE(source->incomplete(), "") << name;
    };
    const std::string video = "-f lavfi -i testsrc2=size=160x120:rate=25:duration=4 -g 25 ";
    constexpr std::size_t kPacket = 188;
    const auto video_packets = [](const std::vector<char>& bytes, std::size_t begin, std::size_t end) {
        std::size_t count = 0;
        for (; begin < end; begin += kPacket) count += (bytes[begin + 1] & 0x1F) == 1 && bytes[begin + 2] == 0 ? 1 : 0;
        return count;
    };
    struct Gap {
        const char* coding;
        std::size_t first, last;  // the first frame that is missing, and the first after it, in the order of the file
    };
    for (auto [coding, first, last] :
         {Gap{"-c:v mpeg2video -bf 2 -q 2", 35, 38},
          Gap{"-c:v mpeg2video -bf 2 -q 2", 22, 25},                                // before a key frame of an open GOP
          Gap{"-c:v libx264 -bf 0", 35, 38}, Gap{"-c:v libx264 -bf 0", 26, 29}}) {  // after a key frame
        ffmpeg(video + coding, scratch.path() / "a.ts");
        const std::vector<char> bytes = test::read_file(scratch.path() / "a.ts");
        std::vector<std::size_t> frames;  // where they begin
        for (std::size_t at = 0; at < bytes.size(); at += kPacket) {
            if (bytes[at + 1] == 0x41 && bytes[at + 2] == 0) frames.push_back(at);  // the identifier 0x100
        }
        ASSERT_EQ(frames.size(), 100U) << coding;
        // The packets are numbered modulo 16.
        while (video_packets(bytes, frames[first], frames[last]) % 16 == 0) ++last;
        SCOPED_TRACE(coding + (" " + std::to_string(first)));
        expect_damage("gap.ts", frames[first], frames[last], bytes);
    }
    ffmpeg(video + "-c:v libtheora -q:v 9 -g 10", scratch.path() / "a.ogv");
    const std::vector<char> bytes = test::read_file(scratch.path() / "a.ogv");
    expect_damage("gap.ogv", bytes.size() / 2 - 200, bytes.size() / 2, bytes);
    ffmpeg(video + "-c:v libvpx -deadline realtime -cluster_time_limit 300", scratch.path() / "a.webm");
    const std::vector<char> webm = test::read_file(scratch.path() / "a.webm");
    const std::size_t cluster = std::string_view(webm.data(), webm.size()).find("\x1F\x43\xB6\x75", webm.size() / 2);
    ASSERT_NE(cluster, std::string_view::npos);
    expect_damage("gap.webm", cluster, cluster + 20, webm);
}

// The frames that were in the decoder at the damage are not those that are decoded after a seek.
TEST(Incomplete, ASeekEndsTheDamage) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    ffmpeg("-f lavfi -i testsrc2=size=160x120:rate=25:duration=6 -c:v libx264 -g 25 -bf 2 -threads 1", path);
    std::vector<char> bytes = test::read_file(path);
    for (std::size_t i = bytes.size() / 3; i < bytes.size() / 3 + 1500; ++i) bytes[i] = static_cast<char>(i * i * 37);
    test::write_file(path, bytes);
    auto source = open_source(path);
    Frame frame;
    do {
        ASSERT_NE(source->read(frame, {}), ReadStatus::end) << "nothing is damaged";
    } while (!frame.info().damaged);
    const double damage = frame.info().pts;
    ASSERT_LT(damage, 4);
    for (const double seconds : {4.0, 0.0}) {  // both are key frames, in front of which nothing is damaged
        ASSERT_TRUE(source->seek(seconds));
        for (int i = 0; i < 20; ++i) {
            ASSERT_NE(source->read(frame, {}), ReadStatus::end);
            EXPECT_FALSE(frame.info().damaged) << frame.info().pts << ", damage at " << damage;
        }
    }
    ASSERT_TRUE(source->seek(damage));
    for (int i = 0; i < 3; ++i) ASSERT_NE(source->read(frame, {}), ReadStatus::end);
    EXPECT_TRUE(frame.info().damaged) << "damage that is decoded again is forgotten";
}

TEST(Incomplete, APlaylistWithAMissingSegmentIsReported) {
    TH_NEED_FFMPEG();
    for (const int missing : {0, 2}) {
        const ScratchDir scratch;
        ffmpeg(clip("-c:v libx264 -g 5 -hls_time 0.5 -hls_list_size 0"), scratch.path() / "a.m3u8");
        fs::remove(scratch.path() / ("a" + std::to_string(missing) + ".ts"));
        const Outcome outcome = read_all((scratch.path() / "a.m3u8").string());
        EXPECT_EQ(outcome.pts.size(), 25U);
        EXPECT_NE(outcome.incomplete.find("1 segment of the playlist could not be opened"), std::string::npos)
            << outcome.incomplete;
    }
}

TEST(Incomplete, ASeekClearsTheEarlyEndAndAMosaicForwardsIt) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    ffmpeg(clip("-c:v mjpeg -movflags +faststart"), scratch.path() / "a.mp4");
    const std::string path = cut(scratch.path() / "a.mp4", 0.6);
    EXPECT_NE(read_all("mosaic:" + path).incomplete.find("ends early"), std::string::npos);
    auto source = open_source(path);
    Frame frame;
    while (source->read(frame, {}) != ReadStatus::end) {
    }
    ASSERT_NE(source->incomplete().find("ends early"), std::string::npos);
    ASSERT_TRUE(source->seek(0));
    EXPECT_EQ(source->incomplete().find("ends early"), std::string::npos) << source->incomplete();
}

TEST(Incomplete, TruncatedSkippedAndAnimatedImagesAreReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const fs::path folder = scratch.path() / "images";
    fs::create_directory(folder);
    const cv::Mat image(60, 80, CV_8UC3, cv::Scalar(10, 120, 200));
    ASSERT_TRUE(cv::imwrite((folder / "a.png").string(), image));
    EXPECT_EQ(read_all((folder / "a.png").string()).incomplete, "");
    EXPECT_EQ(read_all(folder.string()).incomplete, "");

    ASSERT_TRUE(cv::imwrite((scratch.path() / "whole.jpg").string(), image));
    fs::rename(cut(scratch.path() / "whole.jpg", 0.9), folder / "b.jpg");
    EXPECT_NE(read_all((folder / "b.jpg").string()).incomplete.find("cut short"), std::string::npos);
    EXPECT_NE(read_all(folder.string()).incomplete.find("1 image incomplete"), std::string::npos);

    std::ofstream(folder / "c.png") << "no image";
    const Outcome left_out = read_all(folder.string());
    EXPECT_EQ(left_out.pts.size(), 2U);
    EXPECT_NE(left_out.incomplete.find("1 image skipped"), std::string::npos) << left_out.incomplete;
    EXPECT_NE(left_out.incomplete.find("1 image incomplete"), std::string::npos) << left_out.incomplete;

    const fs::path animated = scratch.path() / "moving.png";
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -t 3 -f apng", animated);
    const Outcome alone = read_all(animated.string());
    EXPECT_EQ(alone.pts.size(), 30U) << "FFmpeg decodes all frames";
    EXPECT_EQ(alone.incomplete, "");
    fs::copy(animated, folder / "d.png");
    const Outcome together = read_all(folder.string());
    EXPECT_EQ(together.pts.size(), 3U);
    EXPECT_NE(together.incomplete.find("2 images incomplete"), std::string::npos) << together.incomplete;
}

TEST(Times, LongFrameIntervalsAreKept) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    for (const char* rate : {"0.1", "0.3"}) {
        const fs::path path = scratch.path() / "slow.mkv";
        ffmpeg(
            std::string("-f lavfi -i testsrc=size=64x48:rate=") + rate + " -frames:v 6 -pix_fmt yuv420p -c:v libx264",
            path);
        const Outcome outcome = read_all(path.string());
        ASSERT_EQ(outcome.pts.size(), 6U);
        for (std::size_t i = 0; i < 6; ++i) {
            EXPECT_NEAR(outcome.pts[i], static_cast<double>(i) / std::stod(rate), 0.01) << rate;
        }
    }
}

TEST(Times, AChainedOggFileContinues) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    ffmpeg(clip("-c:v libtheora", 2), scratch.path() / "first.ogv");
    ffmpeg("-f lavfi -i testsrc2=size=96x64:rate=10 -t 1 -pix_fmt yuv420p -c:v libtheora",
           scratch.path() / "other.ogv");
    const std::vector<char> first = test::read_file(scratch.path() / "first.ogv");
    for (const char* name : {"first.ogv", "other.ogv"}) {
        std::vector<char> bytes = first;
        const std::vector<char> second = test::read_file(scratch.path() / name);
        bytes.insert(bytes.end(), second.begin(), second.end());
        bytes.insert(bytes.end(), first.begin(), first.end());
        test::write_file(scratch.path() / "chain.ogv", bytes);
        const Outcome outcome = read_all((scratch.path() / "chain.ogv").string());
        EXPECT_EQ(outcome.incomplete, "") << name;
        ASSERT_EQ(outcome.pts.size(), second == first ? 60U : 50U) << name;
        for (std::size_t i = 0; i < outcome.pts.size(); ++i) {
            EXPECT_NEAR(outcome.pts[i], static_cast<double>(i) / 10, 0.01) << name;
        }
    }
}

TEST(Incomplete, AFileMayGrowWhileItIsRead) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    for (const char* name : {"a.ts", "a.mkv", "a.mpg", "a.avi", "a.mjpeg"}) {
        SCOPED_TRACE(name);
        const bool is_stills = std::string_view(name) == "a.mjpeg";
        ffmpeg(clip(is_stills                           ? ""
                    : std::string_view(name) == "a.mpg" ? "-c:v mpeg2video -r 25"
                                                        : "-c:v mpeg4"),
               scratch.path() / name);
        const std::size_t whole = read_all((scratch.path() / name).string()).pts.size();
        const std::vector<char> bytes = test::read_file(scratch.path() / name);
        const fs::path path = scratch.path() / (std::string("growing_") + name);
        test::write_file(path, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2)});
        const auto source = open_source(path.string());
        Frame frame;
        ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
        test::write_file(path, bytes);
        std::size_t frames = 1;
        while (source->read(frame, {}) != ReadStatus::end) ++frames;
        EXPECT_GT(frames, whole / 4);
        EXPECT_TRUE(frames == whole || (frames < whole && !source->incomplete().empty())) << frames;
    }
}

TEST(Times, NeverDecreaseInAConcatenatedFile) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const fs::path first = scratch.path() / "first.ts";
    ffmpeg(clip("-c:v libx264 -bf 2"), first);
    ffmpeg("-i " + first.string() + " -c copy -output_ts_offset 100", scratch.path() / "later.ts");
    for (const char* name : {"first.ts", "later.ts"}) {  // time stamps jump back by 3 seconds, and by 100
        std::vector<char> bytes = test::read_file(scratch.path() / name);
        const std::vector<char> second = test::read_file(first);
        bytes.insert(bytes.end(), second.begin(), second.end());
        test::write_file(scratch.path() / "both.ts", bytes);
        const std::string both = (scratch.path() / "both.ts").string();
        const Outcome outcome = read_all(both);
        EXPECT_EQ(outcome.incomplete, "");
        ASSERT_EQ(outcome.pts.size(), 60U);
        for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(outcome.pts[i], static_cast<double>(i) / 10, 0.01) << name;

        auto source = open_source(both);
        Frame frame;
        while (source->read(frame, {}) != ReadStatus::end) {
        }
        ASSERT_TRUE(source->seek(4.5));
        ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
        EXPECT_NEAR(frame.info().pts, 4.5, 0.01);
        EXPECT_EQ(frame.info().index, 45);
    }
}

}  // namespace
}  // namespace throng
