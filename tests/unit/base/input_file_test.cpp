// Files, pipes and devices are read whole, and a stop request ends every wait for them.
#include "core/base/input_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/line_reader.h"
#include "core/base/sha256.h"
#include "tests/support/process_state.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class ReadFile : public ::testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }
    [[nodiscard]] std::string pipe(const std::string& name) const {
        EXPECT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
        return file(name);
    }
    // Calls a function that waits for this file, and requests a stop when the file is open.
    static ErrorKind kind_after_stop(const std::string& path, const std::function<void(const std::stop_token&)>& wait) {
        std::stop_source source;
        const std::jthread stopper = test::stop_when(source, [&path] { return test::has_opened(::getpid(), path); });
        try {
            wait(source.get_token());
        } catch (const Error& error) {
            return error.kind();
        }
        ADD_FAILURE() << "it ended without an error";
        return ErrorKind::internal;
    }
    static std::string read(const std::string& path, const std::stop_token& stop = {}) {
        ReadOptions options;
        options.stop = stop;
        return read_file(path, options);
    }

    test::ScratchDir dir_;
};

TEST_F(ReadFile, ReadsFilesOfAllSizes) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{131072}, std::size_t{300001}}) {
        std::string text(size, 'x');
        for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * i >> 3);
        std::ofstream(file("f"), std::ios::binary) << text;
        EXPECT_EQ(read(file("f")), text);
    }
}

TEST_F(ReadFile, ReadsAPipeThatIsWrittenInPieces) {
    const std::string path = pipe("p");
    const std::jthread writer([&path] {
        std::ofstream stream(path);
        stream << "one " << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(120));  // longer than one wait, on any machine
        stream << "two";
    });
    EXPECT_EQ(read(path), "one two");
}

TEST_F(ReadFile, TheEndOfAPipeIsItsWriters) {
    const std::string path = pipe("p");
    const std::jthread writer([&path] { std::ofstream stream(path); });
    EXPECT_EQ(read(path), "");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::close(ends[1]);  // as a shell's <(true)
    EXPECT_EQ(read("/proc/self/fd/" + std::to_string(ends[0])), "");
    ::close(ends[0]);
}

TEST_F(ReadFile, AStopEndsEveryWait) {
    const std::string path = pipe("p");
    const auto kind_after_stop_of_reading = [&] {
        return kind_after_stop(path, [&](const auto& stop) { static_cast<void>(read(path, stop)); });
    };
    EXPECT_EQ(kind_after_stop_of_reading(), ErrorKind::interrupted);
    EXPECT_EQ(kind_after_stop(path, [&](const auto& stop) { static_cast<void>(sha256_of(path, stop)); }),
              ErrorKind::interrupted);
    const int silent = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(kind_after_stop_of_reading(), ErrorKind::interrupted);
    ::close(silent);
    // A file that takes hours.
    std::ofstream(file("large")) << "x";
    fs::resize_file(file("large"), std::uintmax_t{1} << 42U);
    EXPECT_EQ(
        kind_after_stop(file("large"), [&](const auto& stop) { static_cast<void>(sha256_of(file("large"), stop)); }),
        ErrorKind::interrupted);
}

TEST_F(ReadFile, ASilentStandardInputIsLeftAtAStop) {
    const std::string path = pipe("p");
    const int before = ::dup(STDIN_FILENO);
    const int silent = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // blocks in read
    ASSERT_EQ(::dup2(silent, STDIN_FILENO), STDIN_FILENO);
    ReadOptions options;
    options.takes_dash = true;
    EXPECT_EQ(kind_after_stop(path,
                              [&](const auto& stop) {
                                  options.stop = stop;
                                  static_cast<void>(read_file("-", options));
                              }),
              ErrorKind::interrupted);
    std::ofstream(file("text")) << "a list";
    const int text = ::open(file("text").c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(text, STDIN_FILENO);
    options.stop = {};
    EXPECT_EQ(read_file("-", options), "a list");
    ::dup2(before, STDIN_FILENO);
    for (const int descriptor : {before, silent, text}) ::close(descriptor);
    EXPECT_THROW(static_cast<void>(read("-")), Error) << "a file of this name";
}

TEST_F(ReadFile, LimitsAndFailuresNameTheFile) {
    std::ofstream(file("f")) << "12345";
    ReadOptions options;
    options.what = "plan";
    options.max_bytes = 5;
    EXPECT_EQ(read_file(file("f"), options), "12345");
    for (const auto& [path, limit, part] : {std::tuple{file("f"), 4, "is too large for a plan"},
                                            {std::string("/dev/zero"), 100, "is a device"},
                                            {file("none"), 5, "cannot read the plan: No such file"},
                                            {dir_.path().string(), 5, "cannot read the plan: Is a directory"}}) {
        options.max_bytes = static_cast<std::uint64_t>(limit);
        try {
            static_cast<void>(read_file(path, options));
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where(), path);
            EXPECT_EQ(error.problem().text().find(part), 0U) << error.problem();
        }
    }
}

// Lines of all lengths around those of the blocks, as std::getline reads them; after each, bytes that are no lines.
TEST(LineReader, ReadsLinesOfAllLengths) {
    std::mt19937_64 engine(test::seed(2711));
    const auto integer = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
    };
    const std::int64_t lengths[] = {0, 1, 2, 80, 4096, 262143, 262144, 262145, 600000};
    for (int round = 0; round < 12; ++round) {
        std::string text;
        for (auto left = integer(0, 12); left > 0; --left) {
            const auto size = static_cast<std::size_t>(lengths[integer(0, std::ssize(lengths) - 1)]);
            text += std::string(size, static_cast<char>(integer('a', 'z'))) + (integer(0, 9) > 0 ? "\n" : "");
        }
        std::istringstream expected(text);
        std::istringstream stream(text);
        LineReader lines(stream, "lines");
        std::uint64_t number = 0;
        for (std::string line; std::getline(expected, line);) {
            ASSERT_TRUE(lines.next()) << number;
            EXPECT_TRUE(lines.line() == line) << number;
            EXPECT_EQ(lines.number(), ++number);
            EXPECT_EQ(lines.complete(), !expected.eof());
            const auto size = static_cast<std::size_t>(integer(0, 3) == 0 ? lengths[integer(0, 8)] : 0);
            std::string bytes(size, '\0');
            std::string read(size, '\0');
            expected.read(bytes.data(), static_cast<std::streamsize>(size));
            EXPECT_EQ(lines.read(read.data(), size), static_cast<std::size_t>(expected.gcount()));
            EXPECT_TRUE(read == bytes) << number;
        }
        EXPECT_FALSE(lines.next());
    }
}

TEST(LineReader, BoundsTheLengthOfALine) {
    constexpr std::size_t kMax = 300000;
    for (const std::string end : {"\n", "", "more"}) {
        std::istringstream stream("a\n" + std::string(kMax, 'b') + "\n" +
                                  std::string(kMax + (end.empty() ? 1 : 0), 'c') + end);
        LineReader lines(stream, "lines", kMax);
        EXPECT_TRUE(lines.next());
        EXPECT_TRUE(lines.next());
        if (end == "\n") {
            EXPECT_TRUE(lines.next());
            continue;
        }
        try {
            static_cast<void>(lines.next());
            ADD_FAILURE() << "accepted " << end;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where(), Message(std::string("lines:3")));
            EXPECT_EQ(error.problem(), Message(std::string("the line is longer than 300000 bytes")));
        }
    }
    std::ifstream missing("/nonexistent/file");
    LineReader lines(missing, "missing");
    EXPECT_THROW(static_cast<void>(lines.next()), Error);
}

}  // namespace
}  // namespace throng
