// Audio in annotated videos, compared with the packets of the input as the ffmpeg programs see them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
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

// Writes frames [first, last) of the file, as a sink would.
void write_video(const fs::path& input, const fs::path& output, int first, int last) {
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
    EXPECT_NE(error_of(scratch.path() / "missing.mp4").find("cannot be read"), std::string::npos);
    EXPECT_FALSE(fs::exists(output));
}

}  // namespace
}  // namespace throng
