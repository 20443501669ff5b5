// Creates video files for tests with the ffmpeg program and its test sources.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace throng::test {

[[nodiscard]] bool has_ffmpeg();

// Runs `ffmpeg ARGUMENTS path` without output, or copies the file that the same arguments made in an earlier run, from
// build/test-clips. Throws std::runtime_error with its output if it fails.
void ffmpeg(const std::string& arguments, const std::filesystem::path& path);

[[nodiscard]] std::vector<char> read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::vector<char>& bytes);

// Returns a transport or program stream with ticks of 1/90000 s added to all time stamps of its first video and its
// first MPEG audio stream, on the clock of 33 bits that wraps.
[[nodiscard]] std::vector<char> with_later_clock(std::vector<char> bytes, std::int64_t ticks);

}  // namespace throng::test

// Skips the running test with a message if there is no ffmpeg program.
#define TH_NEED_FFMPEG() \
    if (!::throng::test::has_ffmpeg()) GTEST_SKIP() << "skipped: no ffmpeg program"
