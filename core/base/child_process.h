// Runs another program to its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace throng {

struct ChildResult {
    std::string output;  // its standard output, or the beginning of it
    // "cannot be started: …", "ran longer than 5 s", "crashed: …", "failed with status 2"; empty: it ended with status 0.
    std::string failure;
    bool too_slow = false;
    int status = -1;  // its exit status, if it ended by itself
};

// Runs the first argument, found by PATH, without standard input and error. After the time limit, kills it and its
// children. It has a process group of its own: Ctrl-C does not reach it.
[[nodiscard]] ChildResult run_child(std::vector<std::string> arguments, std::chrono::milliseconds limit,
                                    std::size_t max_output = 4096);

}  // namespace throng
