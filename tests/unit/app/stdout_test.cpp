// A write error on standard output is an error of every command.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class StandardOutput : public ::testing::Test {
protected:
    // Runs the program in a shell, with standard output redirected as given. No encoder is tried, which would start the
    // program again.
    test::ProgramResult run(const std::string& arguments, const std::string& redirection) const {
        const std::string errors = (dir_.path() / "err").string();
        const std::string command = "XDG_CONFIG_HOME=" + dir_.path().string() + " THRONG_ENCODER_PROBE=false " +
                                    test::program_path() + " " + arguments + " " + redirection + " 2>" + errors;
        const int state = std::system(command.c_str());
        std::ostringstream text;
        text << std::ifstream(errors).rdbuf();
        return {WIFEXITED(state) ? WEXITSTATUS(state) : 128, {}, text.str()};
    }
    test::ScratchDir dir_;
};

constexpr const char* kCommands[] = {
    "--help",
    "--version",
    "detect --help",
    "info",
    "info --json",
    "models",
    "models --json",
    "clocks",
    "clocks --json",
    "experiments",
    "bench nms --n 10 --repeat 1 --no-baselines",
};

TEST_F(StandardOutput, AFullDiskIsAnError) {
    test::ProgramOptions full;
    full.standard_output = "/dev/full";
    for (const std::string command : kCommands) {
        std::istringstream words(command);
        const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
        full.own_process = command == "--version" || command == "info";
        const test::ProgramResult result = test::run_program(arguments, full);
        EXPECT_EQ(result.status, 3) << command;
        EXPECT_NE(result.err.find("throng: standard output: cannot write: No space left on device\n"),
                  std::string::npos)
            << command << ": " << result.err;
    }
    EXPECT_EQ(test::run_program({"--version"}).status, 0) << "the error belongs to one command line";
}

TEST_F(StandardOutput, AClosedDescriptorIsAnError) {
    for (const char* command : {"--version", "info", "models --json"}) {
        const test::ProgramResult result = run(command, ">&-");
        EXPECT_EQ(result.status, 3) << command;
        EXPECT_NE(result.err.find("standard output: cannot write"), std::string::npos) << result.err;
    }
}

TEST_F(StandardOutput, AClosedPipeIsAnError) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    for (const char* command : {"--help", "info --json"}) {
        const test::ProgramResult result = run(command, ">&" + std::to_string(ends[1]));
        EXPECT_EQ(result.status, 3) << command;
        EXPECT_NE(result.err.find("standard output: cannot write: Broken pipe"), std::string::npos) << result.err;
    }
    ::close(ends[1]);
}

TEST_F(StandardOutput, DataOutputGivesTheSameMessage) {
    const std::string boxes = (dir_.path() / "boxes.csv").string();
    std::ofstream file(boxes);
    for (int i = 0; i < 20000; ++i) file << 100 * i << ",0," << 100 * i + 10 << ",10,0.5\n";
    file.close();
    const test::ProgramResult result = run("nms --quiet " + boxes, ">/dev/full");
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.err, "throng: standard output: cannot write: No space left on device\n");
}

TEST_F(StandardOutput, ATableThatCannotBeWrittenIsAnError) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const std::string lines = (dir_.path() / "faces.jsonl").string();
    const std::string detect = "detect crowd:faces=1,size=160x120,frames=2 --backend cpu --json " + lines;
    EXPECT_EQ(run(detect, ">/dev/full").status, 3);
    EXPECT_EQ(run(detect + " --quiet", ">/dev/full").status, 0) << "nothing is printed";
    // A file that is opened later does not get the number of a closed descriptor.
    EXPECT_EQ(run(detect, ">&-").status, 3);
    std::ifstream written(lines);
    for (std::string line; std::getline(written, line);) EXPECT_EQ(line.front(), '{') << line;
}

TEST_F(StandardOutput, TotalsDoNotFollowTelemetry) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const test::ProgramResult result = test::run_program(
        {"detect", "crowd:faces=1,size=160x120,frames=2", "--backend", "cpu", "--detector", "haar", "--telemetry", "-"},
        test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out.rfind("time,", 0), 0U) << result.out;
    EXPECT_EQ(result.out.find("frames/s"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("frames/s"), std::string::npos) << result.err;
}

TEST_F(StandardOutput, AnotherErrorKeepsItsStatus) {
    EXPECT_EQ(run("detect --frobnicate", ">/dev/full").status, 2);
    EXPECT_EQ(run("nms /nonexistent.csv", ">&-").status, 3);
}

}  // namespace
}  // namespace throng
