// Long work shows its progress on a terminal.
#include "app/options/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

// Runs the program with standard error on a separate pseudo-terminal. The destructor kills the program.
class OnTerminal {
public:
    explicit OnTerminal(std::vector<std::string> arguments) {
        int slave = -1;
        if (::openpty(&master_, &slave, nullptr, nullptr, nullptr) != 0) return;
        arguments.insert(arguments.begin(), test::program_path());
        arguments.insert(arguments.end(), {"--config", ""});
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(::open("/dev/null", O_RDWR), STDOUT_FILENO);
            ::dup2(slave, STDERR_FILENO);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(slave);
    }
    ~OnTerminal() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        ::close(master_);
    }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    // Reads until the text has appeared `times` times or the program has ended. Returns all output so far.
    const std::string& read_until(const std::string& text, int times = 1) {
        const auto deadline = Clock::now() + std::chrono::seconds(300);  // only ends a hang
        while (count(text) < times && Clock::now() < deadline) {
            pollfd waiting{master_, POLLIN, 0};
            if (::poll(&waiting, 1, 100) <= 0) continue;
            char block[4096];
            const ssize_t size = ::read(master_, block, sizeof block);
            if (size <= 0) break;  // the other side is closed
            seen_.append(block, static_cast<std::size_t>(size));
        }
        return seen_;
    }

    [[nodiscard]] int count(const std::string& text) const {
        int found = 0;
        for (std::size_t at = seen_.find(text); at != std::string::npos; at = seen_.find(text, at + 1)) ++found;
        return found;
    }

private:
    int master_ = -1;
    pid_t child_ = -1;
    std::string seen_;
};

TEST(ProgressOnTerminal, DrawingALargeCrowdShowsProgress) {
    OnTerminal program({"bench", "hog", "--size", "16384x16384", "--backend", "cpu"});
    const std::string& text = program.read_until("drawing the crowd");
    EXPECT_NE(text.find("bench hog"), std::string::npos) << text;
    program.read_until("bench hog", 3);
    EXPECT_GE(program.count("\r\033[Kbench hog"), 3) << "redrawn while one call runs: " << text;
}

TEST(ProgressOnTerminal, BenchmarksShowTheDetectorAndTheRun) {
    OnTerminal program({"bench", "hog", "--size", "2048x2048", "--backend", "cpu"});
    const std::string& text = program.read_until("OpenCV, run ");
    EXPECT_NE(text.find("OpenCV, run "), std::string::npos) << text;
}

TEST(ProgressOnTerminal, SoftSuppressionOfManyBoxesShowsProgress) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "boxes.csv").string();
    std::ofstream file(path);
    for (std::int64_t i = 0; i < 300000; ++i) {
        const std::int64_t x = i * 7919 % 4000;
        const std::int64_t y = i * 104729 % 4000;
        file << x << ',' << y << ',' << x + 40 << ',' << y + 40 << ',' << static_cast<double>(i * 31 % 1000) / 1000
             << '\n';
    }
    file.close();
    OnTerminal program({"nms", path, "--rule", "soft-gaussian", "--backend", "cpu"});
    const std::string& text = program.read_until("nms  0:");
    EXPECT_NE(text.find("suppression of 300000 boxes"), std::string::npos) << text;
}

// Connects standard error of this process to a pseudo-terminal during its lifetime.
class ErrorOnTerminal {
public:
    ErrorOnTerminal() {
        int slave = -1;
        if (::openpty(&master_, &slave, nullptr, nullptr, nullptr) != 0) return;
        previous_ = ::dup(STDERR_FILENO);
        ::dup2(slave, STDERR_FILENO);
        ::close(slave);
    }
    ~ErrorOnTerminal() { end(); }
    ErrorOnTerminal(const ErrorOnTerminal&) = delete;
    ErrorOnTerminal& operator=(const ErrorOnTerminal&) = delete;

    // Waits for the text.
    [[nodiscard]] bool shows(const std::string& text) {
        return test::eventually([&] { return read().find(text) != std::string::npos; });
    }

    // Returns all text so far.
    const std::string& read() {
        pollfd waiting{master_, POLLIN, 0};
        while (::poll(&waiting, 1, 0) > 0) {
            char block[4096];
            const ssize_t size = ::read(master_, block, sizeof block);
            if (size <= 0) break;
            text_.append(block, static_cast<std::size_t>(size));
        }
        return text_;
    }

    std::string end() {
        if (previous_ < 0) return {};
        read();
        ::dup2(previous_, STDERR_FILENO);
        ::close(std::exchange(previous_, -1));
        ::close(master_);
        return text_;
    }

private:
    int master_ = -1;
    int previous_ = -1;
    std::string text_;
};

constexpr const char* kClear = "\r\033[K";

TEST(Progress, QuickWorkShowsNothing) {
    ErrorOnTerminal terminal;
    {
        Progress progress(CommonOptions{}, "work", 10);
        progress.update(1, "first");
    }
    EXPECT_EQ(terminal.end(), "");
}

TEST(Progress, ErasesItsLineAndDrawsAgainAfterAnUpdate) {
    ErrorOnTerminal terminal;
    Progress progress(CommonOptions{}, "work", 10);
    progress.update(1, "first");
    ASSERT_TRUE(terminal.shows("first"));
    progress.finish();
    progress.finish();
    std::fputs("message\n", stderr);
    // Longer than the time between two drawings. A slow machine makes it no shorter.
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    std::fputs("another\n", stderr);
    progress.update(2, "second");
    ASSERT_TRUE(terminal.shows("second"));
    progress.finish();
    const std::string text = terminal.end();
    EXPECT_NE(text.find("first" + std::string(kClear) + "message\r\nanother\r\n" + kClear + "work"), std::string::npos)
        << text;
    EXPECT_NE(text.find("second"), std::string::npos) << text;
    EXPECT_EQ(text.substr(text.size() - std::string(kClear).size()), kClear) << text;
}

TEST(Progress, AcceptsUpdatesFromManyThreads) {
    ErrorOnTerminal terminal;
    {
        Progress progress(CommonOptions{}, "work", std::nullopt);
        std::vector<std::jthread> threads;
        for (const char letter : {'a', 'b', 'c', 'd'}) {
            threads.emplace_back([&progress, note = std::string(20, letter)](const std::stop_token& stop) {
                for (std::uint64_t i = 0; !stop.stop_requested(); ++i) {
                    progress.update(i, note);
                    if (i % 500 == 499) progress.finish();
                }
            });
        }
        EXPECT_TRUE(
            test::eventually([&] { return std::count(terminal.read().begin(), terminal.read().end(), 'w') >= 3; }));
    }
    // Each line is that of one update.
    const std::string text = terminal.end();
    const std::regex line(R"(work( \d+)?  \d+:\d\d(  \d+\.\d/s)?  (a{20}|b{20}|c{20}|d{20}))");
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(kClear, begin), text.size());
        const std::string shown = text.substr(begin, end - begin);
        EXPECT_TRUE(shown.empty() || std::regex_match(shown, line)) << shown;
        begin = end + std::string(kClear).size();
    }
}

TEST(Progress, ShowsNothingWithoutATerminal) {
    ::testing::internal::CaptureStderr();
    {
        Progress progress(CommonOptions{}, "work", 10);
        progress.update(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(400));  // longer than the time to the first drawing
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace throng
