// Reads what a process or a thread does at the moment, so that a test acts in that state instead of after a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>

namespace throng::test {

// Returns true if the process has a descriptor of this file.
[[nodiscard]] bool has_opened(pid_t pid, const std::filesystem::path& path);

// Returns true if the thread waits for something.
[[nodiscard]] bool is_asleep(pid_t thread);

// Returns true if every thread of the process waits for something, as in a program that is blocked. except: a thread
// that may run; 0: none.
[[nodiscard]] bool is_blocked(pid_t pid, pid_t except = 0);

// Returns the number of bytes that a pipe holds. At the default capacity it is full if that is kPipeBytes.
[[nodiscard]] int bytes_in_pipe(int descriptor);
constexpr int kPipeBytes = 65536;

// Starts a thread that requests a stop when the state is reached, or at the end of `eventually`.
[[nodiscard]] std::jthread stop_when(std::stop_source& stop, std::function<bool()> state);

// Likewise when the calling thread waits for something.
[[nodiscard]] std::jthread stop_when_asleep(std::stop_source& stop);

}  // namespace throng::test
