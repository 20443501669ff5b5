// Runs the built program as a user would and catches what it says.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace throng::test {

struct ProgramResult {
    int status = -1;  // exit status; 128 + signal where one ended it
    std::string out;
    std::string err;
};

struct ProgramOptions {
    std::vector<std::string> environment;  // "NAME=value", besides the test's own
    // Called while it runs, with its process id, until it returns false.
    std::function<bool(int pid)> meanwhile;
    long largest_file = -1;  // bytes a file may grow to: stands in for a full disk
};

// The program under test: $THRONG_PROGRAM, else `throng` alongside the test.
std::string program_path();

// All bytes of a file; empty where it cannot be read.
std::string contents(const std::filesystem::path& path);

// Whether the program has begun to handle SIGTERM: before, a signal ends it as it ends any process.
bool handles_signals(int pid);

// $THRONG_PROGRAM, else `throng` beside the test. Reads no configuration of the user. Killed after five minutes.
ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

}  // namespace throng::test
