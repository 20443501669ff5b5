// Time stamps on clocks that wrap or jump back: one continuous time, for both readers of files and for live streams.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/video/exact_frame.h"
#include "core/video/media_file_source.h"
#include "core/video/media_source.h"
#include "core/video/packet_clock.h"
#include "core/video/source.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::ffmpeg;
using test::ScratchDir;
using test::with_later_clock;

constexpr std::int64_t kWrap = std::int64_t{1} << 33;  // ticks of the clock of MPEG streams
constexpr std::int64_t kSecond = 90'000;

std::vector<char> joined(std::vector<char> first, const std::vector<char>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

struct Times {
    std::vector<double> pts;
    std::vector<double> seconds;  // of ExactFrame's ticks
    std::int64_t corrected = 0;
};

Times times_of(const fs::path& path) {
    Times times;
    const auto source = open_source(path.string());
    for (Frame frame; source->read(frame, {}) != ReadStatus::end;) times.pts.push_back(frame.info().pts);
    EXPECT_EQ(source->incomplete(), "");
    MediaFileSource reader(path.string(), {});
    std::size_t next = 0;
    for (ExactFrame frame; reader.read_exact(frame, {}); ++next) {
        times.seconds.push_back(static_cast<double>(frame.ticks) * av_q2d(reader.format().time_base));
        if (next < times.pts.size()) {
            EXPECT_EQ(frame.frame.info().pts, times.pts[next]) << "frame " << next;
        }
    }
    times.corrected = reader.corrected_times();
    return times;
}

// Expects `frames` frames in equal steps from 0. first: the time of the first one for VideoSource.
void expect_steps(const Times& times, std::size_t frames, double rate, const std::string& where) {
    ASSERT_EQ(times.pts.size(), frames) << where;
    ASSERT_EQ(times.seconds.size(), frames) << where;
    for (std::size_t i = 0; i < frames; ++i) {
        ASSERT_NEAR(times.pts[i], static_cast<double>(i) / rate, 2e-3) << where << ", frame " << i;
        ASSERT_NEAR(times.seconds[i], static_cast<double>(i) / rate, 2e-3) << where << ", frame " << i;
    }
}

struct Stream {
    const char* name;
    const char* coding;
};
constexpr Stream kStreams[] = {
    {"b.ts", "-c:v libx264 -g 10 -bf 2"},
    {"plain.ts", "-c:v libx264 -g 10 -bf 0"},
    {"mpeg2.ts", "-c:v mpeg2video -g 10 -bf 2"},
    {"hevc.ts", "-c:v libx265 -x265-params log-level=none:keyint=10:pools=1"},
    {"mpeg2.mpg", "-c:v mpeg2video -g 10 -bf 2 -f vob"},
};
constexpr double kRate = 25;

class WrappingClock : public testing::TestWithParam<Stream> {
protected:
    // Returns a video of so many frames whose first time stamps are small.
    std::vector<char> made(int frames) {
        const fs::path path = dir_.path() / (std::to_string(frames) + GetParam().name);
        ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -pix_fmt yuv420p -threads 1 -frames:v " +
                   std::to_string(frames) + " " + GetParam().coding + " -muxdelay 0 -muxpreload 0",
               path);
        return test::read_file(path);
    }
    fs::path written(const std::vector<char>& bytes) {
        const fs::path path = dir_.path() / GetParam().name;
        test::write_file(path, bytes);
        return path;
    }
    ScratchDir dir_;
};

TEST_P(WrappingClock, WrapsAnywhere) {
    TH_NEED_FFMPEG();
    const std::vector<char> video = made(40);
    const std::int64_t missing = times_of(written(video)).corrected;  // time stamps that the format does not have
    // From before the first frame to behind the last one: at the start by single frames, where FFmpeg probes.
    for (const double frame :
         {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 9.0, 10.0, 11.0, 12.0, 25.0, 39.0, 41.0}) {
        const auto wrap = static_cast<std::int64_t>(frame * kSecond / kRate);
        const fs::path path = written(with_later_clock(video, kWrap - wrap));
        const Times times = times_of(path);
        expect_steps(times, 40, kRate, "wraps " + std::to_string(frame));
        EXPECT_EQ(times.corrected, missing) << frame;
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_P(WrappingClock, ASeekReturnsTheSameTimes) {
    TH_NEED_FFMPEG();
    const fs::path path = written(with_later_clock(made(60), kWrap - kSecond));
    for (const bool read_first : {false, true}) {
        const auto source = open_source(path.string());
        Frame frame;
        while (read_first && source->read(frame, {}) != ReadStatus::end) {
        }
        for (const int index : {50, 3, 24, 26, 10}) {
            ASSERT_TRUE(source->seek(index / kRate + 1e-3));
            ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
            EXPECT_NEAR(frame.info().pts, index / kRate, 2e-3) << index;
            EXPECT_EQ(frame.info().index, index);
        }
    }
}

TEST_P(WrappingClock, ConcatenatedFilesContinue) {
    TH_NEED_FFMPEG();
    const std::vector<char> part = made(30);
    for (const int first : {7, 15, 24}) {  // less than a second
        const std::vector<char> shorter = made(first);
        struct Case {
            const char* what;
            std::vector<char> bytes;
            std::size_t frames;
        };
        const auto length = static_cast<std::size_t>(first);
        for (const Case& each : {
                 Case{"the same clock", joined(shorter, part), length + 30},
                 Case{"an hour before", joined(with_later_clock(shorter, 3600 * kSecond), part), length + 30},
                 Case{"a day before", joined(with_later_clock(shorter, 24 * 3600 * kSecond), part), length + 30},
                 Case{"after the wrap, then before it", joined(shorter, with_later_clock(part, kWrap - kSecond / 2)),
                      length + 30},
                 Case{"wrapped twice",
                      joined(with_later_clock(shorter, kWrap - kSecond / 10),
                             with_later_clock(part, kWrap - kSecond / 2)),
                      length + 30},
                 Case{"three parts", joined(joined(shorter, shorter), part), 2 * length + 30},
             }) {
            expect_steps(times_of(written(each.bytes)), each.frames, kRate,
                         std::string(each.what) + ", " + std::to_string(first) + " frames");
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

// The time stamps at both ends of the file are all that is known in front.
TEST_P(WrappingClock, ADurationThatTheFileCannotHaveIsUnknown) {
    TH_NEED_FFMPEG();
    const std::vector<char> part = made(30);
    const std::optional<double> plain = open_source(written(joined(part, part)).string())->info().duration;
    ASSERT_TRUE(plain);
    EXPECT_LT(*plain, 3);
    const auto jumped = written(joined(part, with_later_clock(part, kWrap - 5 * kSecond)));
    EXPECT_LT(open_source(jumped.string())->info().duration.value_or(0), 3);
}

TEST_P(WrappingClock, AGapRemains) {
    TH_NEED_FFMPEG();
    const std::vector<char> part = made(30);
    // The clock wraps nowhere, within the second part, and in the gap.
    for (const std::int64_t begin : {std::int64_t{0}, kWrap - 101 * kSecond, kWrap - 50 * kSecond}) {
        const Times times =
            times_of(written(joined(with_later_clock(part, begin), with_later_clock(part, begin + 100 * kSecond))));
        ASSERT_EQ(times.pts.size(), 60U);
        for (std::size_t i = 0; i < 60; ++i) {
            if (i == 29 && times.corrected > 0) continue;  // a program stream does not have the time of this frame
            const double want = static_cast<double>(i % 30) / kRate + (i < 30 ? 0 : 100);
            EXPECT_NEAR(times.pts[i], want, 2e-3) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Streams, WrappingClock, testing::ValuesIn(kStreams), [](const auto& chosen) {
    std::string name = chosen.param.name;
    name[name.find('.')] = '_';
    return name;
});

// Packets in front of the begin of an edit are decoded, but not shown. In a list of cut files, as in edits, a key frame
// may come a little early.
TEST(PacketTimes, EarlyPacketsAreNoJumpInEditedFiles) {
    const std::unique_ptr<AVFormatContext, decltype(&avformat_free_context)> context(avformat_alloc_context(),
                                                                                     &avformat_free_context);
    AVStream* stream = avformat_new_stream(context.get(), nullptr);
    stream->time_base = {1, 1000};
    stream->pts_wrap_bits = 64;
    const av::PacketPtr packet = av::make_packet();
    const auto is_jump = [&](PacketClock& clock, std::int64_t time, int flags) {
        packet->pts = packet->dts = time;
        packet->flags = flags;
        return clock.follow(*packet, *context, 0.04).has_value();
    };
    for (const char* format : {"mov", "concat", "mpegts", "matroska"}) {
        const bool edited = std::string(format) == "mov" || std::string(format) == "concat";
        context->iformat = av_find_input_format(format);
        PacketClock clock;
        for (int i = 0; i < 50; ++i) EXPECT_FALSE(is_jump(clock, 40 * i, i == 0 ? AV_PKT_FLAG_KEY : 0));
        EXPECT_FALSE(is_jump(clock, 300, AV_PKT_FLAG_KEY | AV_PKT_FLAG_DISCARD)) << format;
        EXPECT_EQ(is_jump(clock, 1300, AV_PKT_FLAG_KEY), !edited) << format;
        EXPECT_FALSE(is_jump(clock, 2000, 0)) << format;
        EXPECT_TRUE(is_jump(clock, 900, AV_PKT_FLAG_KEY)) << format;
        EXPECT_FALSE(is_jump(clock, 300, 0)) << format << ": shown earlier";
    }
}

// Some writers mark all packets as key packets.
TEST(PacketTimes, ReorderedKeyPacketsAreNoJump) {
    const std::unique_ptr<AVFormatContext, decltype(&avformat_free_context)> context(avformat_alloc_context(),
                                                                                     &avformat_free_context);
    context->iformat = av_find_input_format("matroska");
    AVStream* stream = avformat_new_stream(context.get(), nullptr);
    stream->time_base = {1, 1000};
    stream->codecpar->codec_id = AV_CODEC_ID_H264;
    const av::PacketPtr packet = av::make_packet();
    packet->flags = AV_PKT_FLAG_KEY;
    PacketClock clock;
    for (const int time : {0, 160, 80, 40, 120, 320, 240, 200, 280}) {
        packet->pts = time;
        EXPECT_FALSE(clock.follow(*packet, *context, 0.04).has_value()) << time;
    }
}

// A file that is shorter than a second, and another one behind it.
TEST(PacketTimes, ConcatenatedFilesContinueInContainersWithoutDiscontinuities) {
    TH_NEED_FFMPEG();
    const ScratchDir dir;
    for (const char* coding : {"-c:v libx264 -g 10 -bf 2", "-c:v mjpeg", "-c:v libvpx -g 10"}) {
        std::vector<char> bytes;
        for (const int frames : {15, 30}) {
            const fs::path part = dir.path() / "part.mkv";
            ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -pix_fmt yuvj420p -frames:v " + std::to_string(frames) +
                       " " + coding,
                   part);
            bytes = joined(std::move(bytes), test::read_file(part));
        }
        const fs::path path = dir.path() / "joined.mkv";
        test::write_file(path, bytes);
        expect_steps(times_of(path), 45, kRate, coding);
    }
}

// The demuxer of a playlist opens the segments by demuxers of its own, with their own way to treat a jump.
TEST(PacketTimes, APlaylistWhoseClockJumpsBackContinues) {
    TH_NEED_FFMPEG();
    const ScratchDir dir;
    const fs::path whole = dir.path() / "whole.ts";
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -pix_fmt yuv420p -frames:v 30 -c:v libx264 -g 10 -muxdelay 0",
           whole);
    const std::vector<char> part = test::read_file(whole);
    struct Case {
        const char* what;
        std::int64_t first;
        std::int64_t second;
    };
    for (const Case& each :
         {Case{"an hour", 3600 * kSecond, 0}, Case{"wraps between them", kWrap - 30 * kSecond / 25, 0},
          Case{"wraps within the first", kWrap - kSecond / 2, 0},
          Case{"wraps twice", kWrap - kSecond / 2, kWrap - kSecond / 3}}) {
        test::write_file(dir.path() / "0.ts", with_later_clock(part, each.first));
        test::write_file(dir.path() / "1.ts", with_later_clock(part, each.second));
        const fs::path path = dir.path() / "list.m3u8";
        const std::string text =
            "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:1.2,\n0.ts\n"
            "#EXT-X-DISCONTINUITY\n#EXTINF:1.2,\n1.ts\n#EXT-X-ENDLIST\n";
        test::write_file(path, {text.begin(), text.end()});
        expect_steps(times_of(path), 60, kRate, each.what);
    }
}

// AVI has only the times of decoding. With B-frames, the first frame is shown later than it is decoded.
TEST(PacketTimes, AFileWithoutTimesOfDisplayBeginsAtItsFirstFrame) {
    TH_NEED_FFMPEG();
    const ScratchDir dir;
    for (const char* coding :
         {"-c:v libx264 -bf 3 -g 12", "-c:v mpeg4 -bf 2", "-c:v mpeg4 -bf 0", "-c:v mpeg2video -bf 2"}) {
        const fs::path path = dir.path() / "a.avi";
        ffmpeg(std::string("-f lavfi -i testsrc=size=64x48:rate=25 -pix_fmt yuv420p -frames:v 50 ") + coding, path);
        expect_steps(times_of(path), 50, kRate, coding);
        const auto source = open_source(path.string());
        for (const int index : {30, 0, 13}) {
            ASSERT_TRUE(source->seek(index / kRate + 1e-3)) << coding;
            Frame frame;
            ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
            EXPECT_NEAR(frame.info().pts, index / kRate, 2e-3) << coding;
        }
    }
}

// Between two key frames of a video with a variable rate, a frame may be shown seconds before the one in front of it.
TEST(PacketTimes, ReorderedFramesOfAVariableRateAreNoJump) {
    TH_NEED_FFMPEG();
    const ScratchDir dir;
    for (const char* name : {"a.mp4", "a.mkv", "a.ts"}) {
        const fs::path path = dir.path() / name;
        ffmpeg(
            "-f lavfi -i testsrc=size=64x48:rate=25 -vf setpts='(N*N/4+N)/25/TB' -vsync vfr -frames:v 50 -c:v libx264 "
            "-bf 3",
            path);
        const Times times = times_of(path);
        EXPECT_EQ(times.corrected, 0) << name;
        ASSERT_EQ(times.seconds.size(), 50U) << name;
        for (int i = 0; i < 50; ++i) {
            EXPECT_NEAR(times.seconds[static_cast<std::size_t>(i)], (i * i / 4 + i) / 25.0, 0.041) << name << i;
        }
    }
}

// A live source keeps only the newest frame, so only the time of the last one is certain.
TEST(LiveTimes, ContinueWhereTheClockOfTheSenderJumpsBack) {
    TH_NEED_FFMPEG();
    const ScratchDir dir;
    const fs::path path = dir.path() / "live.ts";
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -pix_fmt yuv420p -frames:v 75 -c:v libx264 -g 10 -bf 0", path);
    const std::vector<char> part = test::read_file(path);
    for (const std::int64_t start : {std::int64_t{0}, 3600 * kSecond, kWrap - kSecond}) {
        test::write_file(path, joined(with_later_clock(part, start), part));
        MediaRequest request = file_request(path.string(), {});
        request.live = true;
        request.source.reconnects = 0;
        const auto source = open_media(request, {});
        double last = 0;
        for (Frame frame;;) {
            const ReadStatus status = source->read(frame, {});
            if (status == ReadStatus::end) break;
            if (status == ReadStatus::timeout) continue;
            EXPECT_GE(frame.info().pts, last);
            last = frame.info().pts;
        }
        EXPECT_GT(last, 149 / 25.0 - 0.5) << "stands still after " << start;
    }
}

}  // namespace
}  // namespace throng
