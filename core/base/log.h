// The log: a logger of our own, so that a host's spdlog stays as it is. Credentials are masked in every line. Nothing is
// written until one of the functions below says where.
#pragma once

#include <spdlog/spdlog.h>

#include <functional>
#include <string_view>

namespace throng {

// Thread-safe. Lives until the process ends.
[[nodiscard]] spdlog::logger& logger();
// logger() returns `other` from now on. For a module with its own copy of this file; `other` must live as long.
void use_logger(spdlog::logger& other);

// Writes to standard error, because standard output is for data; to the journal with its priorities. level: trace, debug, info, warn, error or off; anything
// else throws Error(usage).
void initialize_log(std::string_view level);

// Gives each line to `write`, on the thread that logs and one at a time; null: to nobody. Returns when no thread is in the
// function before. `write` must neither throw nor log.
using WriteLine = std::function<void(spdlog::level::level_enum level, std::string_view text)>;
void write_log_to(WriteLine write, spdlog::level::level_enum level);

// Says that the process is not ours but that of a program that uses a library: the logs of FFmpeg, OpenCV and GStreamer,
// of which a process has one, are then not changed. To be called before the first use of them.
void share_process() noexcept;
[[nodiscard]] bool shares_process() noexcept;

}  // namespace throng
