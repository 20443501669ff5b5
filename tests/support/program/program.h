// Runs the program as a user would and captures its output.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace throng::test {

struct ProgramResult {
    int status = -1;  // exit status; 128 + signal if a signal ended the program
    std::string out;
    std::string err;
};

struct ProgramOptions {
    std::vector<std::string> launcher;     // a command that runs the program, as display_launcher()
    std::vector<std::string> environment;  // "NAME=value", in addition to the environment of the test
    // Called with the process id while the program runs, until it returns false.
    std::function<bool(int pid)> meanwhile;
    long max_file_size = -1;  // limit of the file size in bytes, to simulate a full disk; -1: none
    // Starts the program even if no other option requires it: for tests of what belongs to a process, such as libraries
    // that stay loaded, and in one test of each command at least, because users start the program.
    bool own_process = false;
    std::string standard_output;  // a file that receives it, instead of the result
};

// Returns options that start the program, with additions to its environment.
ProgramOptions own_process(std::vector<std::string> environment = {});

// Returns the path of the program under test: $THRONG_PROGRAM, or `throng` in the folder of the test.
std::string program_path();

// Returns all bytes of a file; empty if the file cannot be read.
std::string contents(const std::filesystem::path& path);

// Returns whether the program has installed its handler of SIGTERM. Before that, a signal ends the process.
bool handles_signals(int pid);

// Returns the launcher of a virtual X server of this size, "1600x1000"; empty if Xvfb is not installed.
std::vector<std::string> display_launcher(const std::string& size);

// Runs a command line of the program, without the configuration file of the user. It runs in this process, unless an
// option requires the program or $THRONG_PROGRAM names one: loading the libraries of the program takes longer than most
// commands, above all with sanitizers. Hardware encoders are unavailable then. A program that was started is killed
// after five minutes.
ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

}  // namespace throng::test
