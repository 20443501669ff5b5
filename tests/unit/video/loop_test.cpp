// Files that go round: the same frames, numbers and times in every round, whether or not the decoder goes on.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/video/source.h"
#include "tests/support/fingerprint.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::ffmpeg;
using test::ScratchDir;

constexpr int kFrames = 90;
constexpr const char* kThreeSeconds = "-f lavfi -i testsrc=size=64x48:rate=30 -t 3 -pix_fmt yuv420p ";

struct Seen {
    std::uint64_t pixels = 0;
    std::int64_t index = 0;
    double pts = 0;
    bool operator==(const Seen&) const = default;
};

Seen seen(const Frame& frame) {
    return {test::fingerprint(frame), frame.info().index, frame.info().pts};
}

// What a pipeline does with a file that goes round; ends: how often it had to seek.
std::vector<Seen> read_round(VideoSource& source, std::size_t frames, int& ends) {
    std::vector<Seen> all;
    bool any = true;
    while (all.size() < frames) {
        Frame frame;
        if (source.read(frame, {}) == ReadStatus::end) {
            ++ends;
            if (!any || !source.seek(0)) break;
            any = false;
            continue;
        }
        any = true;
        all.push_back(seen(frame));
    }
    return all;
}

std::vector<Seen> read_once(const std::string& path) {
    std::vector<Seen> all;
    auto source = open_source(path);
    for (Frame frame; source->read(frame, {}) != ReadStatus::end;) all.push_back(seen(frame));
    return all;
}

void expect_rounds(const std::string& path, bool goes_on) {
    SCOPED_TRACE(path);
    const std::vector<Seen> once = read_once(path);
    ASSERT_FALSE(once.empty());
    auto source = open_source(path);
    source->set_loop(true);
    int ends = 0;
    const std::vector<Seen> all = read_round(*source, 4 * once.size() + 3, ends);
    ASSERT_EQ(all.size(), 4 * once.size() + 3);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], once[i % once.size()]) << "frame " << i;
    EXPECT_EQ(ends == 0, goes_on) << ends;
    EXPECT_TRUE(source->notice().empty() || !goes_on) << source->notice();
}

// A file of H.264 with B-frames that goes round.
struct Looped {
    ScratchDir scratch;
    std::vector<Seen> once;
    std::unique_ptr<VideoSource> source;

    Looped() {
        const std::string path = (scratch.path() / "a.mp4").string();
        ffmpeg(std::string(kThreeSeconds) + "-c:v libx264 -g 12 -bf 2", path);
        once = read_once(path);
        source = open_source(path);
        source->set_loop(true);
    }
};

TEST(Loop, TheDecoderGoesOnAndEveryRoundIsTheSame) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto make = [&](const char* name, const char* coding) {
        const auto path = scratch.path() / name;
        ffmpeg(std::string(kThreeSeconds) + coding, path);
        EXPECT_EQ(read_once(path.string()).size(), std::size_t{kFrames});
        return path.string();
    };
    expect_rounds(make("b_frames.mp4", "-c:v libx264 -g 12 -bf 3"), true);
    expect_rounds(make("one_group.mp4", "-c:v libx264 -g 250 -bf 2"), true);
    expect_rounds(make("no_b_frames.mp4", "-c:v libx264 -g 30 -bf 0"), true);
    expect_rounds(make("open_group.mp4", "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1"), true);
    expect_rounds(make("h264.mkv", "-c:v libx264 -g 12 -bf 2"), true);
    expect_rounds(make("hevc.mp4", "-c:v libx265 -x265-params log-level=none:keyint=12"), true);
    expect_rounds(make("vp9.webm", "-c:v libvpx-vp9 -g 30 -deadline realtime -cpu-used 8"), true);
    expect_rounds(make("h264.ts", "-c:v libx264 -g 12 -bf 2"), true);
    expect_rounds(make("mpeg4.mp4", "-c:v mpeg4 -g 12 -bf 2 -qscale:v 4"), true);
    expect_rounds(make("mjpeg.mkv", "-c:v mjpeg -qscale:v 4"), true);
}

TEST(Loop, WhereTheDecoderCannotGoOnTheFileStartsAgain) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto raw = scratch.path() / "raw.h264";
    ffmpeg(std::string(kThreeSeconds) + "-c:v libx264 -g 12 -bf 2", raw);
    expect_rounds(raw.string(), false);
    const auto gif = scratch.path() / "a.gif";
    ffmpeg(kThreeSeconds, gif);
    expect_rounds(gif.string(), false);
    // Cut where the first frames need some of before the cut.
    const auto whole = scratch.path() / "whole.ts";
    ffmpeg(std::string(kThreeSeconds) + "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1:scenecut=0", whole);
    const auto cut = scratch.path() / "cut.mkv";
    ffmpeg("-ss 1 -i " + whole.string() + " -c copy -copyts", cut);
    expect_rounds(cut.string(), false);
}

TEST(Loop, AnEndComesWhenItIsSwitchedOffAndASeekStopsThere) {
    TH_NEED_FFMPEG();
    const Looped clip;
    const auto& [scratch, once, source] = clip;
    int ends = 0;
    EXPECT_EQ(read_round(*source, once.size() + 20, ends).back(), once[19]);
    ASSERT_TRUE(source->seek(1e9));
    EXPECT_EQ(read_round(*source, 1, ends).back(), once.back()) << "behind the end: the last frame";
    ASSERT_TRUE(source->seek(once[40].pts));
    EXPECT_EQ(read_round(*source, 1, ends).back(), once[40]);
    source->set_loop(false);
    std::vector<Seen> rest;
    for (Frame frame; source->read(frame, {}) != ReadStatus::end;) rest.push_back(seen(frame));
    EXPECT_EQ(rest, std::vector<Seen>(once.begin() + 41, once.end()));
}

// The device is lost in a later round.
TEST(Loop, ResumesBehindAFrameOfAnyRound) {
    TH_NEED_FFMPEG();
    const Looped clip;
    const auto& [scratch, once, source] = clip;
    int ends = 0;
    read_round(*source, 2 * once.size() + 33, ends);
    ASSERT_TRUE(source->resume_on_host(once[30].index, once[30].pts));
    EXPECT_EQ(read_round(*source, 1, ends).back(), once[31]);
    EXPECT_EQ(read_round(*source, once.size(), ends).back(), once[31]);
}

}  // namespace
}  // namespace throng
