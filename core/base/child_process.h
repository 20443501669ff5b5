// Runs another program to its end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace throng {

struct ChildResult {
    std::string output;  // the first 4 KiB of its standard output and, if they are joined, of its standard error
    std::string
        failure;  // "cannot be started: …", "ran longer than 5 s", "crashed: …", "failed with status 2"; empty: status 0
    bool too_slow = false;
    int status = -1;  // its exit status, if it ended by itself
};

enum class ChildErrors { dropped, joined };  // what the child writes to standard error

// Runs the first argument, found by PATH, without standard input. After the limit, kills it and its children. It has a
// process group of its own: Ctrl-C does not reach it.
[[nodiscard]] ChildResult run_child(std::vector<std::string> arguments, std::chrono::milliseconds limit,
                                    ChildErrors errors = ChildErrors::dropped);

}  // namespace throng
