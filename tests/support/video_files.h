// Creates video files for tests with the ffmpeg program and its test sources.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace throng::test {

[[nodiscard]] bool has_ffmpeg();

// Runs `ffmpeg ARGUMENTS path` without output. Throws std::runtime_error with its output if it fails.
void ffmpeg(const std::string& arguments, const std::filesystem::path& path);

[[nodiscard]] std::vector<char> read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::vector<char>& bytes);

}  // namespace throng::test

// Skips the running test with a message if there is no ffmpeg program.
#define TH_NEED_FFMPEG() \
    if (!::throng::test::has_ffmpeg()) GTEST_SKIP() << "skipped: no ffmpeg program"
