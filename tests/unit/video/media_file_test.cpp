// Video files: files made here, broken ones, and real clips if they are available.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/video/decoders.h"
#include "core/video/media_file_source.h"
#include "core/video/media_reader.h"
#include "core/video/source.h"
#include "tests/support/fingerprint.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

extern "C" {
#include <libavutil/sha.h>
}

namespace throng {
namespace {

using test::ffmpeg;
using test::fingerprint;
using test::ScratchDir;

constexpr const char* kPattern = "-f lavfi -i testsrc=size=64x48:rate=10 -t 3 -pix_fmt yuv420p ";

std::vector<Frame> all_frames(VideoSource& source) {
    std::vector<Frame> frames;
    Frame frame;
    while (source.read(frame, {}) != ReadStatus::end) frames.push_back(frame);
    return frames;
}

ErrorKind failure_of_reading(const std::string& spec, const SourceOptions& options = {}) {
    try {
        auto source = open_source(spec, options);
        all_frames(*source);
    } catch (const Error& failure) {
        EXPECT_FALSE(failure.problem().text().empty());
        if (failure.kind() == ErrorKind::usage) return failure.kind();
        EXPECT_NE(failure.where().text().find(spec.substr(0, spec.find("://"))), std::string::npos) << failure.what();
        return failure.kind();
    }
    ADD_FAILURE() << spec << " was accepted";
    return ErrorKind::internal;
}

// Expects a file of 10 seconds with 30 frames per second.
void expect_every_frame_in_order(const std::string& path, int width, int height) {
    SCOPED_TRACE(path);
    auto source = open_source(path);
    const SourceInfo info = source->info();
    EXPECT_EQ(info.width, width);
    EXPECT_EQ(info.height, height);
    EXPECT_DOUBLE_EQ(info.fps, 30);
    EXPECT_EQ(info.frame_count, 300);
    EXPECT_NEAR(info.duration.value_or(0), 10, 0.01);
    EXPECT_FALSE(info.live);
    EXPECT_TRUE(info.seekable);
    EXPECT_NE(info.details.text().find("h264"), std::string::npos);
    Frame frame;
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
        ASSERT_EQ(frame.info().index, i);
        ASSERT_NEAR(frame.info().pts, i / 30.0, 1e-6);
        ASSERT_EQ(frame.info().format, PixelFormat::yuv420p);
    }
    EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
    EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
    EXPECT_EQ(source->notice(), "");
}

TEST(MediaFile, AClipReturnsEveryFrameInOrder) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string made = (scratch.path() / "clip.mp4").string();
    ffmpeg("-f lavfi -i testsrc=size=320x180:rate=30 -t 10 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -bf 2",
           made);
    expect_every_frame_in_order(made, 320, 180);
    if (const auto data = test::data_dir()) {
        expect_every_frame_in_order((*data / "videos/pan_apply_1280x720_30fps.mp4").string(), 1280, 720);
    }
}

// Returns the SHA-1 of the planes of all frames, one after another.
std::string sha1_of_frames(VideoSource& source) {
    std::vector<std::uint8_t> state(static_cast<std::size_t>(av_sha_size));
    auto* sha = reinterpret_cast<AVSHA*>(state.data());
    av_sha_init(sha, 160);
    Frame frame;
    while (source.read(frame, {}) != ReadStatus::end) {
        for (int p = 0; p < plane_count(frame.info().format); ++p) {
            const PlaneView& plane = frame.plane(p);
            for (int y = 0; y < plane.height; ++y) {
                av_sha_update(sha, plane.data + plane.pitch * y, static_cast<std::size_t>(plane.width));
            }
        }
    }
    std::array<std::uint8_t, 20> digest{};
    av_sha_final(sha, digest.data());
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

// Conformance streams of H.264, with the SHA-1 of their frames as another decoder returns them.
TEST(MediaFile, ConformanceStreamsAreDecodedExactly) {
    TH_NEED(folder, test::foreign_dir("h264"), "conformance streams (h264)");
    // FFmpeg returns other frames of these two, also in its own program. It crops the first one.
    const std::set<std::string> others = {"CVFC1_Sony_C.jsv", "Cisco_Men_whisper_640x320_CAVLC_Bframe_9.264"};
    std::ifstream list(folder / "sha1.txt");
    int streams = 0;
    for (std::string expected, name; list >> expected >> name; ++streams) {
        SCOPED_TRACE(name);
        SourceOptions options;
        options.decoder = DecoderKind::software;
        const auto source = open_source((folder / name).string(), options);
        const std::string found = sha1_of_frames(*source);
        EXPECT_EQ(found != expected, others.contains(name)) << found;
        EXPECT_EQ(source->incomplete(), "");
    }
    EXPECT_GE(streams, 20);
}

void expect_gif(const std::string& path) {
    SCOPED_TRACE(path);
    auto source = open_source(path);
    const std::vector<Frame> frames = all_frames(*source);
    ASSERT_EQ(frames.size(), 45U);
    EXPECT_EQ(frames.front().info().format, PixelFormat::bgr24);
    ASSERT_TRUE(source->seek(0));
    Frame again;
    source->read(again, {});
    EXPECT_EQ(again.info().index, 0);
    EXPECT_EQ(fingerprint(again), fingerprint(frames.front()));
    EXPECT_NE(fingerprint(again), fingerprint(frames.back()));
}

TEST(MediaFile, Gif) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string made = (scratch.path() / "clip.gif").string();
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=15 -t 3", made);
    expect_gif(made);
    if (const auto data = test::data_dir()) expect_gif((*data / "videos/classroom.gif").string());
}

class Seeking : public testing::TestWithParam<const char*> {};

TEST_P(Seeking, ReturnsTheFrameAtOrBeforeTheTime) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string path = (scratch.path() / GetParam()).string();
    ffmpeg(std::string(kPattern) + (path.ends_with("gif") ? "" : "-c:v libx264 -g 12 -bf 2"), path);
    auto source = open_source(path);
    const std::vector<Frame> frames = all_frames(*source);
    ASSERT_EQ(frames.size(), 30U);
    for (const int index : {29, 0, 13, 11, 12, 24, 1}) {
        const double pts = frames[static_cast<std::size_t>(index)].info().pts;
        for (const double offset : {0.0, 0.05}) {
            ASSERT_TRUE(source->seek(pts + offset));
            for (int next = index; next < std::min(index + 3, 30); ++next) {
                Frame frame;
                ASSERT_NE(source->read(frame, {}), ReadStatus::end);
                EXPECT_EQ(fingerprint(frame), fingerprint(frames[static_cast<std::size_t>(next)]))
                    << index << ", " << next;
                EXPECT_EQ(frame.info().index, next);
                EXPECT_NEAR(frame.info().pts, frames[static_cast<std::size_t>(next)].info().pts, 1e-3);
            }
        }
    }
    ASSERT_TRUE(source->seek(1e9));
    EXPECT_EQ(fingerprint(all_frames(*source).front()), fingerprint(frames.back())) << "after the end: the last frame";
    ASSERT_TRUE(source->seek(-5));
    EXPECT_EQ(all_frames(*source).size(), 30U);
}

// A pipeline resumes a file this way after a failure of the device that held its frames.
TEST_P(Seeking, ResumesAfterAnyFrame) {
    TH_NEED_FFMPEG();
    const ScratchDir dir;
    const auto path = dir.path() / GetParam();
    ffmpeg(std::string(kPattern) + (path.extension() == ".gif" ? "" : "-c:v libx264 -g 12 -bf 2"), path);
    const std::vector<Frame> all = all_frames(*open_source(path.string()));
    for (const std::size_t last : {std::size_t{0}, std::size_t{1}, all.size() / 2, all.size() - 2, all.size() - 1}) {
        auto source = open_source(path.string());
        Frame frame;
        for (std::size_t i = 0; i <= std::min(last + 2, all.size() - 1); ++i) source->read(frame, {});
        ASSERT_TRUE(source->resume_on_host(all[last].info().index, all[last].info().pts));
        const std::vector<Frame> rest = all_frames(*source);
        ASSERT_EQ(rest.size(), all.size() - 1 - last);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            EXPECT_EQ(rest[i].info().index, all[last + 1 + i].info().index);
            EXPECT_EQ(fingerprint(rest[i]), fingerprint(all[last + 1 + i]));
        }
    }
    auto source = open_source(path.string());
    Frame frame;
    source->read(frame, {});
    ASSERT_TRUE(source->resume_on_host(-1, 0));
    EXPECT_EQ(all_frames(*source).size(), all.size());
}

INSTANTIATE_TEST_SUITE_P(Containers, Seeking, testing::Values("a.mp4", "a.mkv", "a.ts", "a.h264", "a.gif"),
                         [](const auto& chosen) { return std::string(chosen.param + 2); });

TEST(MediaFile, OddSizesOnePixelAndOtherPixelFormats) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    struct Case {
        const char* size;
        const char* codec;
        PixelFormat format;
    };
    for (const Case& expected : {Case{"63x49", "-c:v ffv1 -pix_fmt yuv420p", PixelFormat::yuv420p},
                                 Case{"1x1", "-c:v ffv1 -pix_fmt yuv420p", PixelFormat::yuv420p},
                                 Case{"64x48", "-c:v ffv1 -pix_fmt yuv422p10le", PixelFormat::yuv420p},
                                 Case{"65x47", "-c:v ffv1 -pix_fmt yuv444p", PixelFormat::yuv420p},
                                 Case{"64x48", "-c:v ffv1 -pix_fmt gray", PixelFormat::gray8},
                                 Case{"64x48", "-c:v ffv1 -pix_fmt bgr0", PixelFormat::bgr24},
                                 Case{"64x48", "-c:v mjpeg -pix_fmt yuvj422p", PixelFormat::yuv420p}}) {
        const std::string path = (scratch.path() / "a.mkv").string();
        ffmpeg(std::string("-f lavfi -i color=red:size=64x48:rate=5 -t 1 -vf scale=") + expected.size + " " +
                   expected.codec,
               path);
        const std::vector<Frame> frames = all_frames(*open_source(path));
        ASSERT_EQ(frames.size(), 5U) << expected.size << expected.codec;
        EXPECT_EQ(frames[0].info().format, expected.format) << expected.codec;
        EXPECT_EQ(std::to_string(frames[0].width()) + "x" + std::to_string(frames[0].height()), expected.size);
    }
}

TEST(MediaFile, RangeAndMatrixComeFromTheStream) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    ffmpeg(std::string(kPattern) + "-c:v libx264 -color_range pc -colorspace bt709", path);
    Frame frame;
    open_source(path)->read(frame, {});
    EXPECT_EQ(frame.info().range, ColorRange::full);
    EXPECT_EQ(frame.info().matrix, ColorMatrix::bt709);
    ffmpeg(std::string(kPattern) + "-c:v libx264 -color_range tv -colorspace smpte170m", path);
    open_source(path)->read(frame, {});
    EXPECT_EQ(frame.info().range, ColorRange::limited);
    EXPECT_EQ(frame.info().matrix, ColorMatrix::bt601);
}

// Writes a display matrix into the track header of an MP4 (ISO/IEC 14496-12, section 8.3.2).
void set_matrix(std::vector<char>& mp4, std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    const std::string name = "tkhd";
    const auto at = std::search(mp4.begin(), mp4.end(), name.begin(), name.end());
    ASSERT_NE(at, mp4.end());
    const std::int32_t numbers[9] = {a * 65536, b * 65536, 0, c * 65536, d * 65536, 0, 0, 0, 1 << 30};
    auto byte = at + 4 + 40;  // version 0: after times, numbers, layer, group and volume
    for (const std::int32_t number : numbers) {
        for (int shift = 24; shift >= 0; shift -= 8)
            *byte++ = static_cast<char>(static_cast<std::uint32_t>(number) >> shift);
    }
}

TEST(MediaFile, RotationIsUndone) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    // White on the left, black on the right.
    ffmpeg("-f lavfi -i color=white:size=32x48:rate=5 -t 1 -vf pad=64:48:0:0:black -pix_fmt yuv420p -c:v libx264",
           path);
    std::vector<char> bytes = test::read_file(path);
    set_matrix(bytes, 0, 1, -1, 0);  // 90 degrees clockwise: white is at the top
    test::write_file(path, bytes);
    auto source = open_source(path);
    EXPECT_EQ(source->info().width, 48);
    EXPECT_EQ(source->info().height, 64);
    Frame frame;
    ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
    ASSERT_EQ(frame.width(), 48);
    ASSERT_EQ(frame.height(), 64);
    const PlaneView& luma = frame.plane(0);
    EXPECT_GT(luma.data[5 * luma.pitch + 5], 200);
    EXPECT_LT(luma.data[60 * luma.pitch + 5], 50);
}

TEST(MediaFile, TheFrameSizeMayChange) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -t 1 -pix_fmt yuv420p -c:v libx264", scratch.path() / "a.h264");
    ffmpeg("-f lavfi -i testsrc=size=96x64:rate=10 -t 1 -pix_fmt yuv420p -c:v libx264", scratch.path() / "b.h264");
    std::vector<char> bytes = test::read_file(scratch.path() / "a.h264");
    const std::vector<char> second = test::read_file(scratch.path() / "b.h264");
    bytes.insert(bytes.end(), second.begin(), second.end());
    test::write_file(scratch.path() / "both.h264", bytes);

    auto source = open_source((scratch.path() / "both.h264").string());
    std::vector<ReadStatus> statuses;
    Frame frame;
    for (ReadStatus status = source->read(frame, {}); status != ReadStatus::end; status = source->read(frame, {})) {
        EXPECT_EQ(frame.width(), statuses.size() < 10 ? 64 : 96);
        statuses.push_back(status);
    }
    ASSERT_EQ(statuses.size(), 20U);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), ReadStatus::format_changed), 1);
    EXPECT_EQ(statuses[10], ReadStatus::format_changed);
}

TEST(MediaFile, FramesRemainValidAfterTheirSourceIsDestroyed) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    ffmpeg(std::string(kPattern) + "-c:v libx264", scratch.path() / "a.mp4");
    auto source = open_source((scratch.path() / "a.mp4").string());
    const std::vector<Frame> frames = all_frames(*source);
    const std::uint64_t before = fingerprint(frames[3]);
    source.reset();
    EXPECT_EQ(fingerprint(frames[3]), before);
}

TEST(MediaFile, AStopRequestEndsReading) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    ffmpeg(std::string(kPattern) + "-c:v libx264", scratch.path() / "a.mp4");
    auto source = open_source((scratch.path() / "a.mp4").string());
    std::stop_source stop;
    Frame frame;
    EXPECT_EQ(source->read(frame, stop.get_token()), ReadStatus::frame);
    stop.request_stop();
    EXPECT_EQ(source->read(frame, stop.get_token()), ReadStatus::timeout);
}

TEST(MediaFile, ATruncatedFileIsDecodedAndReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = scratch.path() / "a.mp4";
    ffmpeg(std::string(kPattern) + "-c:v libx264 -g 5 -movflags +faststart", path);
    std::vector<char> bytes = test::read_file(path);
    bytes.resize(bytes.size() * 6 / 10);
    test::write_file(path, bytes);
    auto source = open_source(path.string());
    const std::size_t frames = all_frames(*source).size();
    EXPECT_GT(frames, 3U);
    EXPECT_LT(frames, 30U);
    EXPECT_NE(source->notice().text().find("ends early"), std::string::npos) << source->notice();
}

TEST(MediaFile, DamagedDataIsSkippedAndCounted) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = scratch.path() / "a.h264";
    ffmpeg(std::string(kPattern) + "-c:v libx264 -g 5", path);
    std::vector<char> bytes = test::read_file(path);
    for (std::size_t i = bytes.size() / 4; i < bytes.size(); i += 41) bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
    test::write_file(path, bytes);
    auto source = open_source(path.string());
    EXPECT_GT(all_frames(*source).size(), 5U);
    EXPECT_NE(source->notice(), "");
}

TEST(MediaFile, FilesThatAreNotVideosAreRejectedWithAMessage) {
    const ScratchDir scratch;
    const auto path = [&](const char* name) { return (scratch.path() / name).string(); };
    EXPECT_EQ(failure_of_reading(path("missing.mp4")), ErrorKind::input);
    test::write_file(path("empty.mp4"), {});
    EXPECT_EQ(failure_of_reading(path("empty.mp4")), ErrorKind::input);
    const std::string words = "Many words that are no video at all. ";
    std::vector<char> text;
    for (int i = 0; i < 200; ++i) text.insert(text.end(), words.begin(), words.end());
    for (const char* name : {"words.txt", "words.mp4", "words.jpg", "words.nfo", "words"}) {
        test::write_file(path(name), text);
        EXPECT_EQ(failure_of_reading(path(name)), ErrorKind::input) << name;
    }
    const std::string playlist =
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n";
    test::write_file(path("list.m3u8"), {playlist.begin(), playlist.end()});
    EXPECT_EQ(failure_of_reading(path("list.m3u8")), ErrorKind::input);
    EXPECT_EQ(failure_of_reading("/dev/null"), ErrorKind::input);
    EXPECT_THROW(static_cast<void>(open_source("")), Error);
    EXPECT_EQ(failure_of_reading("nonsense://host/x"), ErrorKind::input);
}

TEST(MediaFile, AFileThatEndsInItsHeaderIsNotReadable) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    for (const char* name : {"a.mkv", "a.ogv", "a.y4m", "a.ts", "a.avi", "a.flv", "a.mp4"}) {
        const auto path = scratch.path() / name;
        ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -pix_fmt yuv420p -frames:v 5", path);
        std::vector<char> bytes = test::read_file(path);
        bytes.resize(64);
        test::write_file(path, bytes);
        try {
            static_cast<void>(open_source(path.string()));
            ADD_FAILURE() << name;
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::input) << name;
            EXPECT_EQ(failure.problem(), "not a readable video") << name;
            EXPECT_NE(failure.advice(), "") << name;
        }
    }
}

TEST(MediaFile, FilesWithoutFramesAreRejected) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto sound = (scratch.path() / "sound.m4a").string();
    ffmpeg("-f lavfi -i sine=duration=1 -c:a aac", sound);
    EXPECT_EQ(failure_of_reading(sound), ErrorKind::input);
    const auto nothing = (scratch.path() / "nothing.mp4").string();
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -frames:v 0 -c:v libx264 -movflags empty_moov", nothing);
    EXPECT_EQ(failure_of_reading(nothing), ErrorKind::input);
    const auto headless = (scratch.path() / "headless.mp4").string();
    ffmpeg(std::string(kPattern) + "-c:v libx264", headless);  // its index is at the end
    std::vector<char> bytes = test::read_file(headless);
    bytes.resize(bytes.size() / 2);
    test::write_file(headless, bytes);
    EXPECT_EQ(failure_of_reading(headless), ErrorKind::input);
}

TEST(MediaFile, AnImageOf20000By20000IsRejected) {
    const ScratchDir scratch;
    const auto path = (scratch.path() / "huge.y4m").string();
    const std::string header = "YUV4MPEG2 W20000 H20000 F25:1 C420\nFRAME\n";
    test::write_file(path, {header.begin(), header.end()});
    EXPECT_EQ(failure_of_reading(path), ErrorKind::input);
}

TEST(MediaFile, AColonInTheNameIsNotAProtocol) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = (scratch.path() / "http:a %20.mp4").string();
    ffmpeg(std::string(kPattern) + "-c:v libx264", scratch.path() / "a.mp4");
    std::filesystem::rename(scratch.path() / "a.mp4", path);
    EXPECT_EQ(all_frames(*open_source(path)).size(), 30U);
}

TEST(MediaFile, DecodersByName) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = (scratch.path() / "a.mp4").string();
    ffmpeg(std::string(kPattern) + "-c:v libx264", path);
    SourceOptions options;
    for (const DecoderInfo& decoder : list_decoders()) {
        options.decoder = decoder.kind;
        if (decoder.available) {
            EXPECT_EQ(all_frames(*open_source(path, options)).size(), 30U) << name_of(kDecoderNames, decoder.kind);
        } else {
            EXPECT_EQ(failure_of_reading(path, options), ErrorKind::unavailable)
                << name_of(kDecoderNames, decoder.kind);
        }
    }
    options.decoder = DecoderKind::automatic;
    options.prefer_device_frames = true;  // falls back to software without such a device
    EXPECT_EQ(all_frames(*open_source(path, options)).size(), 30U);
}

// Decoders in hardware that do not work, each in its own way. `opened` holds what was tried, in order.
std::vector<std::string>& opened() {
    static std::vector<std::string> names;
    return names;
}
int software_threads = 0;

av::CodecPtr open_software_row(const DecoderRequest& request, std::string& why) {
    return decoder_table().rows.back().open(request, why);
}
// The library is missing.
av::CodecPtr open_missing(const DecoderRequest&, std::string& why) {
    opened().emplace_back("missing");
    why = "it is not installed";
    return nullptr;
}
// Opens and takes no packet of this type.
av::CodecPtr open_refusing(const DecoderRequest& request, std::string& why) {
    opened().emplace_back("refusing");
    AVCodecContext* codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_HEVC));
    codec->opaque = &request.errors;
    if (avcodec_open2(codec, nullptr, nullptr) < 0) why = "cannot be opened";
    return av::CodecPtr(codec);
}
// Takes all packets and returns nothing.
av::CodecPtr open_silent(const DecoderRequest& request, std::string& why) {
    opened().emplace_back("silent");
    av::CodecPtr codec = open_software_row(request, why);
    if (codec) codec->skip_frame = AVDISCARD_ALL;
    return codec;
}
// Takes all packets, and logs an error for each: as NVDEC with a stream that it does not support.
av::CodecPtr open_failing(const DecoderRequest& request, std::string& why) {
    av::CodecPtr codec = open_refusing(request, why);
    codec->hw_device_ctx = av_buffer_allocz(1);
    return codec;
}
av::CodecPtr open_last(const DecoderRequest& request, std::string& why) {
    opened().emplace_back("software");
    av::CodecPtr codec = open_software_row(request, why);
    if (codec) software_threads = codec->thread_count;
    return codec;
}

TEST(MediaFile, ADecoderThatCannotDecodeIsReplacedWithoutALoss) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = (scratch.path() / "a.mkv").string();
    ffmpeg(std::string(kPattern) + "-c:v libx264 -bf 2", path);
    const std::vector<Frame> expected = all_frames(*open_source(path));
    ASSERT_EQ(expected.size(), 30U);
    const DecoderRow missing{DecoderKind::cuda, true, open_missing},
        refusing{DecoderKind::nvv4l2dec, true, open_refusing}, silent{DecoderKind::nvmpi, true, open_silent},
        software{DecoderKind::software, false, open_last};
    struct Case {
        DecoderTable table;
        std::vector<std::string> tried;
        std::string details;
    };
    for (const Case& one :
         {Case{{{missing, software}}, {"missing", "software"}, "software (cuda: it is not installed)"},
          Case{{{refusing, software}}, {"refusing", "software"}, "software (nvv4l2dec: "},
          Case{{{silent, software}}, {"silent", "software"}, "software (nvmpi: it returned no frame)"},
          Case{{{missing, refusing, silent, software}},
               {"missing", "refusing", "silent", "software"},
               "software (cuda: it is not installed)"}}) {
        SCOPED_TRACE(one.details);
        opened().clear();
        SourceOptions options;
        options.prefer_device_frames = true;
        MediaRequest request = file_request(path, options);
        request.decoders = &one.table;
        MediaFileSource source(request, nullptr, {});
        const std::vector<Frame> frames = all_frames(source);
        EXPECT_EQ(opened(), one.tried);
        EXPECT_GT(software_threads, 0);
        EXPECT_NE(source.info().details.text().find(one.details), std::string::npos) << source.info().details;
        EXPECT_EQ(source.incomplete(), "");
        ASSERT_EQ(frames.size(), expected.size());
        for (std::size_t i = 0; i < frames.size(); ++i) {
            EXPECT_EQ(fingerprint(frames[i]), fingerprint(expected[i])) << i;
            EXPECT_EQ(frames[i].info().pts, expected[i].info().pts) << i;
            EXPECT_EQ(frames[i].info().damaged, expected[i].info().damaged) << i;
        }
        if (one.tried.size() > 2) continue;
        options.decoder = one.table.rows.front().kind;
        request.source = options;
        try {
            MediaFileSource(request, nullptr, {});
            ADD_FAILURE() << "decoded by a decoder that was not asked for";
        } catch (const Error& error) {
            const bool returned_none = options.decoder == DecoderKind::nvmpi;  // as for a file without frames
            EXPECT_EQ(error.kind(), returned_none ? ErrorKind::input : ErrorKind::unavailable) << error.what();
        }
    }
}

// One bad file must not end the run over an archive, as a decoder that is unavailable does.
TEST(MediaFile, AFileWithoutFramesIsToBlameAlsoWithANamedDecoder) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto nothing = scratch.path() / "nothing.mp4";
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -frames:v 0 -c:v libx264 -movflags empty_moov", nothing);
    const auto damaged = scratch.path() / "damaged.mp4";
    ffmpeg(std::string(kPattern) + "-c:v libx264 -movflags +faststart", damaged);
    std::vector<char> bytes = test::read_file(damaged);
    constexpr std::string_view kData = "mdat";
    std::fill(std::search(bytes.begin(), bytes.end(), kData.begin(), kData.end()) + kData.size(), bytes.end(), '\x55');
    test::write_file(damaged, bytes);
    // More packets than a decoder on trial gets.
    const auto longer = scratch.path() / "longer.mkv";
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=100 -t 6 -pix_fmt yuv420p -c:v libx264", longer);
    for (const auto& path : {nothing, damaged, longer}) {
        const DecoderTable table{{{DecoderKind::cuda, true, path == damaged ? open_failing : open_silent}}};
        SourceOptions options;
        options.decoder = DecoderKind::cuda;
        MediaRequest request = file_request(path.string(), options);
        request.decoders = &table;
        try {
            MediaFileSource(request, nullptr, {});
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input) << path << ": " << error.what();
        }
    }
}

TEST(MediaFile, ADecoderThatCannotDecodeIsNotTriedAgain) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = (scratch.path() / "a.h264").string();  // without an index: a seek opens it again
    ffmpeg(std::string(kPattern) + "-c:v libx264", path);
    const DecoderTable table{{{DecoderKind::cuda, true, open_silent}, {DecoderKind::software, false, open_last}}};
    SourceOptions options;
    options.prefer_device_frames = true;
    MediaRequest request = file_request(path, options);
    request.decoders = &table;
    opened().clear();
    MediaFileSource source(request, nullptr, {});
    const Message details = source.info().details;
    ASSERT_TRUE(source.seek(0));
    EXPECT_EQ(all_frames(source).size(), 30U);
    EXPECT_EQ(opened(), (std::vector<std::string>{"silent", "software", "software"}));
    EXPECT_EQ(source.info().details, details);
}

TEST(MediaFile, TheTrialOfALiveInputIsShort) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto path = (scratch.path() / "a.mkv").string();
    ffmpeg("-f lavfi -i testsrc=size=64x48:rate=100 -t 6 -pix_fmt yuv420p -c:v libx264 -g 10", path);
    const DecoderTable table{{{DecoderKind::cuda, true, open_silent}, {DecoderKind::software, false, open_last}}};
    SourceOptions options;
    options.prefer_device_frames = true;
    MediaRequest request = file_request(path, options);
    request.decoders = &table;
    request.live = true;
    opened().clear();
    MediaReader reader(request, {});
    MediaFrame frame;
    ASSERT_EQ(reader.next(frame, {}), MediaStatus::read);
    EXPECT_LT(reader.clock().num_packets(), 80);
    const std::optional<std::int64_t> first = frame.ticks;
    reader.remember_decoder(request);
    MediaReader again(request, {});
    ASSERT_EQ(again.next(frame, {}), MediaStatus::read);
    EXPECT_EQ(frame.ticks, first);
    EXPECT_EQ(opened(), (std::vector<std::string>{"silent", "software", "software"}));
}

TEST(MediaFile, DamageIsFoundAgainByTheNextDecoder) {
    const ScratchDir scratch;
    const auto path = scratch.path() / "a.y4m";
    std::string text = "YUV4MPEG2 W16 H16 F25:1 C420\n";
    for (int i = 0; i < 60; ++i) {
        // Reading fails at the header of the 30th frame, and goes on behind the next end of a line.
        text += (i == 30 ? "CRASH\n" : "FRAME\n") + std::string(16 * 16 * 3 / 2 - 1, static_cast<char>('A' + i)) + '\n';
    }
    test::write_file(path, {text.begin(), text.end()});
    const auto plain = open_source(path.string());
    const std::vector<Frame> expected = all_frames(*plain);
    const DecoderTable table{{{DecoderKind::cuda, true, open_failing}, {DecoderKind::software, false, open_last}}};
    SourceOptions options;
    options.prefer_device_frames = true;
    MediaRequest request = file_request(path.string(), options);
    request.decoders = &table;
    MediaFileSource source(request, nullptr, {});
    const std::vector<Frame> frames = all_frames(source);
    ASSERT_EQ(frames.size(), expected.size());
    int num_damaged = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        EXPECT_EQ(frames[i].info().damaged, expected[i].info().damaged) << i;
        num_damaged += frames[i].info().damaged ? 1 : 0;
    }
    EXPECT_GT(num_damaged, 0);
    EXPECT_LT(num_damaged, 30) << "only behind the gap";
    EXPECT_FALSE(frames.front().info().damaged);
    EXPECT_EQ(source.incomplete(), static_cast<MediaFileSource&>(*plain).incomplete());
}

}  // namespace
}  // namespace throng
