// Looped files: every iteration has the same frames, numbers and times, whether or not the decoder continues.
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

// Reads a looped file like a pipeline. ends: number of seeks to the start.
std::vector<Seen> read_looped(VideoSource& source, std::size_t frames, int& ends) {
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

void expect_looping(const std::string& path, bool continues) {
    SCOPED_TRACE(path);
    const std::vector<Seen> once = read_once(path);
    ASSERT_FALSE(once.empty());
    auto source = open_source(path);
    source->set_loop(true);
    int ends = 0;
    const std::vector<Seen> all = read_looped(*source, 4 * once.size() + 3, ends);
    ASSERT_EQ(all.size(), 4 * once.size() + 3);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], once[i % once.size()]) << "frame " << i;
    EXPECT_EQ(ends == 0, continues) << ends;
    EXPECT_TRUE(source->notice().empty() || !continues) << source->notice();
}

// A looped H.264 file with B-frames.
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

TEST(Loop, TheDecoderContinuesAndAllIterationsAreEqual) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto make = [&](const char* name, const char* coding) {
        const auto path = scratch.path() / name;
        ffmpeg(std::string(kThreeSeconds) + coding, path);
        EXPECT_EQ(read_once(path.string()).size(), std::size_t{kFrames});
        return path.string();
    };
    expect_looping(make("b_frames.mp4", "-c:v libx264 -g 12 -bf 3"), true);
    expect_looping(make("one_group.mp4", "-c:v libx264 -g 250 -bf 2"), true);
    expect_looping(make("no_b_frames.mp4", "-c:v libx264 -g 30 -bf 0"), true);
    expect_looping(make("open_group.mp4", "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1"), true);
    expect_looping(make("h264.mkv", "-c:v libx264 -g 12 -bf 2"), true);
    expect_looping(make("hevc.mp4", "-c:v libx265 -x265-params log-level=none:keyint=12"), true);
    expect_looping(make("vp9.webm", "-c:v libvpx-vp9 -g 30 -deadline realtime -cpu-used 8"), true);
    expect_looping(make("h264.ts", "-c:v libx264 -g 12 -bf 2"), true);
    expect_looping(make("mpeg4.mp4", "-c:v mpeg4 -g 12 -bf 2 -qscale:v 4"), true);
    expect_looping(make("mjpeg.mkv", "-c:v mjpeg -qscale:v 4"), true);
}

TEST(Loop, FilesThatCannotLoopSafelyAreSoughtToTheStart) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto raw = scratch.path() / "raw.h264";
    ffmpeg(std::string(kThreeSeconds) + "-c:v libx264 -g 12 -bf 2", raw);
    expect_looping(raw.string(), false);
    const auto gif = scratch.path() / "a.gif";
    ffmpeg(kThreeSeconds, gif);
    expect_looping(gif.string(), false);
    // Cut at a position where the first frames have references before the cut.
    const auto whole = scratch.path() / "whole.ts";
    ffmpeg(std::string(kThreeSeconds) + "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1:scenecut=0", whole);
    const auto cut = scratch.path() / "cut.mkv";
    ffmpeg("-ss 1 -i " + whole.string() + " -c copy -copyts", cut);
    expect_looping(cut.string(), false);
}

TEST(Loop, DisablingLoopEndsTheFileAndASeekStopsAtTheEnd) {
    TH_NEED_FFMPEG();
    const Looped clip;
    const auto& [scratch, once, source] = clip;
    int ends = 0;
    EXPECT_EQ(read_looped(*source, once.size() + 20, ends).back(), once[19]);
    ASSERT_TRUE(source->seek(1e9));
    EXPECT_EQ(read_looped(*source, 1, ends).back(), once.back()) << "after the end: the last frame";
    ASSERT_TRUE(source->seek(once[40].pts));
    EXPECT_EQ(read_looped(*source, 1, ends).back(), once[40]);
    source->set_loop(false);
    std::vector<Seen> rest;
    for (Frame frame; source->read(frame, {}) != ReadStatus::end;) rest.push_back(seen(frame));
    EXPECT_EQ(rest, std::vector<Seen>(once.begin() + 41, once.end()));
}

// The device fails in a later iteration.
TEST(Loop, ResumesAfterAFrameOfAnyIteration) {
    TH_NEED_FFMPEG();
    const Looped clip;
    const auto& [scratch, once, source] = clip;
    int ends = 0;
    read_looped(*source, 2 * once.size() + 33, ends);
    ASSERT_TRUE(source->resume_on_host(once[30].index, once[30].pts));
    EXPECT_EQ(read_looped(*source, 1, ends).back(), once[31]);
    EXPECT_EQ(read_looped(*source, once.size(), ends).back(), once[31]);
}

}  // namespace
}  // namespace throng
