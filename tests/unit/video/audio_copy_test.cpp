// Audio in annotated videos, compared with the packets of the input as the ffmpeg programs see them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/video/source.h"
#include "core/video/video_writer.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::ScratchDir;

std::string output_of(const std::string& command) {
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
    ::pclose(pipe);
    return out;
}

struct Packet {
    double seconds;
    std::string hash;
};

// Returns the packets of one audio stream, with ffprobe.
std::vector<Packet> audio_packets(const fs::path& path, int stream = 0) {
    std::istringstream lines(output_of("ffprobe -v error -select_streams a:" + std::to_string(stream) +
                                       " -show_packets -show_data_hash md5 -show_entries packet=pts_time,data_hash -of "
                                       "csv=p=0 '" +
                                       path.string() + "'"));
    // The first packet has another line, about the samples to skip, before its hash.
    std::vector<Packet> packets;
    double seconds = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line[0] != ',') seconds = std::stod(line);
        const std::size_t hash = line.find("MD5:");
        if (hash != std::string::npos) packets.push_back({seconds, line.substr(hash)});
    }
    return packets;
}

std::string format_of(const fs::path& path, const std::string& entries) {
    return output_of("ffprobe -v error -show_entries " + entries + " -of csv=p=0 '" + path.string() + "'");
}

// Writes frames [first, last) of the file, as a sink would. Returns the notice.
std::string write_video(const fs::path& input, const fs::path& output, int first, int last,
                        std::string* incomplete = nullptr) {
    VideoWriterOptions options;
    options.fps = 25;
    options.audio = input.string();
    VideoWriter writer(output.string(), options);
    const auto source = open_source(input.string());
    Frame frame;
    for (int i = 0; source->read(frame, {}) != ReadStatus::end && i < last; ++i) {
        if (i >= first) writer.write(frame);
    }
    writer.close();
    if (incomplete != nullptr) *incomplete = writer.incomplete();
    return writer.notice();
}

// Sound whose packets all differ, so that their hashes tell them apart.
constexpr const char* kClip =
    "-f lavfi -i testsrc=size=160x120:rate=25:duration=4 "
    "-f lavfi -i aevalsrc='sin(440*t*t):s=44100:d=4' -c:v libx264 -c:a aac ";

TEST(AudioCopy, EveryPacketKeepsItsBytesAndItsTime) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    for (const char* extension : {".mp4", ".mkv"}) {
        const fs::path input = scratch.path() / (std::string("in") + extension);
        const fs::path output = scratch.path() / (std::string("out") + extension);
        test::ffmpeg(kClip, input);
        write_video(input, output, 0, 1000);
        const double begin = std::stod(format_of(input, "stream=start_time -select_streams v"));
        const std::vector<Packet> want = audio_packets(input);
        const std::vector<Packet> got = audio_packets(output);
        // The encoder's priming before the first frame is left out.
        std::size_t skipped = 0;
        while (skipped < want.size() && want[skipped].seconds < begin - 1e-6) ++skipped;
        ASSERT_GT(want.size(), 150U);
        ASSERT_GE(got.size() + skipped + 1, want.size()) << "sound may be longer than the video by a packet";
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].hash, want[i + skipped].hash) << extension << " packet " << i;
            EXPECT_NEAR(got[i].seconds, want[i + skipped].seconds - begin, 0.0015) << extension << " packet " << i;
        }
    }
}

TEST(AudioCopy, StartsAndEndsWithTheFrames) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const fs::path input = scratch.path() / "in.mp4";
    const fs::path output = scratch.path() / "out.mp4";
    test::ffmpeg(kClip, input);
    write_video(input, output, 25, 75);  // the second and the third second
    const std::vector<Packet> all = audio_packets(input);
    const std::vector<Packet> got = audio_packets(output);
    ASSERT_GT(got.size(), 80U);
    std::size_t first = 0;
    while (first < all.size() && all[first].hash != got.front().hash) ++first;
    ASSERT_LT(first, all.size());
    EXPECT_GE(all[first].seconds, 1 - 1e-3);
    EXPECT_LT(all[first].seconds, 1 + 0.024);  // a packet lasts 23.2 ms
    EXPECT_NEAR(got.front().seconds, all[first].seconds - 1, 0.0015);
    EXPECT_LT(got.back().seconds, 2);
    EXPECT_GT(got.back().seconds, 2 - 0.048);
}

// The rest of the audio follows the last frame of the file, and what cannot be kept is named.
TEST(AudioCopy, KeepsWhatIsLongerThanTheVideo) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    for (const char* extension : {".mp4", ".mkv", ".ts"}) {
        const fs::path input = scratch.path() / (std::string("in") + extension);
        const fs::path output = scratch.path() / "out.mkv";
        test::ffmpeg(
            "-f lavfi -i testsrc=size=160x120:rate=25:duration=1.2 "
            "-f lavfi -i aevalsrc='sin(440*t*t):s=44100:d=4' -c:v libx264 -c:a mp2 -muxdelay 0",
            input);
        EXPECT_EQ(write_video(input, output, 0, 1000), "");
        const std::vector<Packet> want = audio_packets(input);
        const std::vector<Packet> got = audio_packets(output);
        ASSERT_GT(want.size(), 150U);
        ASSERT_GE(got.size() + 1, want.size()) << extension;  // the first one may begin before the first frame
        EXPECT_EQ(got.back().hash, want.back().hash) << extension;
    }
    // Frames end before the video does: so does the audio, which is no news.
    EXPECT_EQ(write_video(scratch.path() / "in.mp4", scratch.path() / "out.mp4", 0, 10),
              "audio after the last frame left out");
    EXPECT_LT(audio_packets(scratch.path() / "out.mp4").back().seconds, 0.4);

    test::ffmpeg("-i '" + (scratch.path() / "in.mp4").string() + "' -itsoffset 1 -i '" +
                     (scratch.path() / "in.mp4").string() + "' -map 1:v -map 0:a -c copy",
                 scratch.path() / "late.mp4");
    const std::string note = write_video(scratch.path() / "late.mp4", scratch.path() / "out.mp4", 0, 1000);
    EXPECT_EQ(note, "1.0 s of audio before the first frame left out");
}

TEST(AudioCopy, AFileThatIsCutBehindTheVideoIsReported) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const fs::path input = scratch.path() / "in.mp4";
    for (const char* extension : {".mp4", ".mkv"}) {
        const fs::path whole = scratch.path() / (std::string("whole") + extension);
        test::ffmpeg(
            "-f lavfi -i testsrc=size=160x120:rate=25:duration=1.2 "
            "-f lavfi -i aevalsrc='sin(440*t*t):s=44100:d=4' -c:v libx264 -c:a aac -movflags +faststart",
            whole);
        std::vector<char> bytes = test::read_file(whole);
        bytes.resize(bytes.size() * 3 / 4);
        const fs::path cut = scratch.path() / (std::string("cut") + extension);
        test::write_file(cut, bytes);
        std::string incomplete;
        write_video(whole, scratch.path() / "out.mkv", 0, 1000, &incomplete);
        EXPECT_EQ(incomplete, "") << extension;
        write_video(cut, scratch.path() / "out.mkv", 0, 1000, &incomplete);
        EXPECT_NE(incomplete.find("the audio ends early"), std::string::npos) << extension << incomplete;
        EXPECT_GT(audio_packets(scratch.path() / "out.mkv").size(), 60U) << extension;
    }
}

// The clock of the audio wraps and jumps back where that of the video does, but not at the same place of the file.
TEST(AudioCopy, StaysWithTheFramesWhereTheClockWrapsOrJumpsBack) {
    TH_NEED_FFMPEG();
    constexpr std::int64_t kSecond = 90'000;
    constexpr std::int64_t kWrap = std::int64_t{1} << 33;
    const ScratchDir scratch;
    const fs::path input = scratch.path() / "in.ts";
    const auto made = [&](const char* seconds, const char* sound) {
        test::ffmpeg(std::string("-f lavfi -i testsrc=size=160x120:rate=25:duration=") + seconds +
                         " -f lavfi -i aevalsrc='sin(" + sound + "*t*t):s=44100:d=" + seconds +
                         "' -c:v libx264 -bf 2 -g 10 -c:a mp2 -muxdelay 0 -muxpreload 0",
                     input);
        return test::read_file(input);
    };
    struct Part {
        std::vector<char> bytes;
        std::vector<Packet> packets;  // seconds from the first frame
        double length;
    };
    const auto part_of = [&](const char* seconds, const char* sound) {
        Part part{made(seconds, sound), audio_packets(input), std::stod(seconds)};
        const double begin = std::stod(format_of(input, "stream=start_time -select_streams v"));
        for (Packet& packet : part.packets) packet.seconds -= begin;
        return part;
    };
    const Part brief = part_of("0.6", "300");
    const Part first = part_of("2", "400");
    const Part second = part_of("3", "500");
    const auto expect_parts = [&](const std::vector<std::pair<const Part*, std::int64_t>>& parts, const char* name) {
        std::vector<char> bytes;
        std::vector<Packet> want;
        double begin = 0;
        for (const auto& [part, later] : parts) {
            const std::vector<char> next = test::with_later_clock(part->bytes, later);
            bytes.insert(bytes.end(), next.begin(), next.end());
            for (const Packet& packet : part->packets) {
                // Like the first frame, the audio before it does not count.
                if (begin + packet.seconds >= 0) want.push_back({begin + packet.seconds, packet.hash});
            }
            begin += part->length;
        }
        test::write_file(input, bytes);
        for (const char* extension : {"mkv", "mp4"}) {
            const fs::path output = scratch.path() / (std::string("out.") + extension);
            write_video(input, output, 0, 1000);
            const std::vector<Packet> got = audio_packets(output);
            ASSERT_EQ(got.size(), want.size()) << name << extension;
            for (std::size_t i = 0; i < got.size(); ++i) {
                ASSERT_EQ(got[i].hash, want[i].hash) << name << extension << " packet " << i;
                ASSERT_NEAR(got[i].seconds, want[i].seconds, 0.003) << name << extension << " packet " << i;
            }
        }
    };
    expect_parts({{&first, kWrap - kSecond}}, "wraps ");
    expect_parts({{&first, kWrap - kSecond / 50}}, "wraps early ");
    expect_parts({{&first, 0}, {&second, 0}}, "two files ");
    expect_parts({{&first, 5000 * kSecond}, {&second, 0}}, "an hour back ");
    expect_parts({{&brief, 0}, {&second, 0}}, "a short one ");
    expect_parts({{&brief, 0}, {&brief, 0}, {&second, kWrap - kSecond}, {&first, 0}}, "four files ");
}

TEST(AudioCopy, AllTracksWithTheirLanguagesAndNothingElse) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const fs::path input = scratch.path() / "in.mkv";
    const fs::path output = scratch.path() / "out.mkv";
    test::write_file(scratch.path() / "subtitle.srt", [] {
        const std::string text = "1\n00:00:00,000 --> 00:00:01,000\nJane Roe\n";
        return std::vector<char>(text.begin(), text.end());
    }());
    test::ffmpeg(
        "-f lavfi -i testsrc=size=160x120:rate=25:duration=1 -f lavfi -i sine=440:duration=1 -f lavfi -i "
        "sine=880:duration=1 -i '" +
            (scratch.path() / "subtitle.srt").string() +
            "' -map 0 -map 1 -map 2 -map 3 -c:v libx264 -c:a aac -metadata title=Jane -metadata:s:a:0 "
            "language=deu -metadata:s:a:1 language=fra -metadata:s:a:1 title=Jane",
        input);
    write_video(input, output, 0, 1000);
    EXPECT_EQ(format_of(output, "stream=codec_type:stream_tags=language"), "video\naudio,deu\naudio,fra\n");
    EXPECT_EQ(output_of("strings '" + output.string() + "' | grep -c Jane"), "0\n");
}

TEST(AudioCopy, WhatCannotBeCopiedIsReportedBeforeAnythingIsWritten) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const fs::path silent = scratch.path() / "silent.mp4";
    const fs::path pcm = scratch.path() / "pcm.mkv";
    const fs::path output = scratch.path() / "out.mp4";
    test::ffmpeg("-f lavfi -i testsrc=size=160x120:rate=25:duration=1 -c:v libx264", silent);
    test::ffmpeg(
        "-f lavfi -i testsrc=size=160x120:rate=25:duration=1 -f lavfi -i sine=440:duration=1 -c:v libx264 "
        "-c:a pcm_u8",
        pcm);
    const auto error_of = [&](const fs::path& input) -> std::string {
        try {
            write_video(input, output, 0, 1000);
        } catch (const Error& error) {
            return error.what();
        }
        return "(none)";
    };
    EXPECT_NE(error_of(silent).find("has no audio"), std::string::npos) << error_of(silent);
    EXPECT_NE(error_of(pcm).find("cannot hold audio of the codec pcm_u8"), std::string::npos) << error_of(pcm);
    EXPECT_NE(error_of(scratch.path() / "missing.mp4").find("No such file"), std::string::npos);
    EXPECT_FALSE(fs::exists(output));
}

}  // namespace
}  // namespace throng
