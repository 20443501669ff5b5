// A progress line on standard error. Shows nothing with --quiet or when standard error is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "app/options/command.h"

namespace throng {

// Redrawn by a separate thread, so that the elapsed time advances during one long call. Work that ends soon shows
// nothing. Thread-safe.
class Progress {
public:
    // total: number of steps; empty if unknown, in which case a count and a rate are shown.
    Progress(const CommonOptions& common, std::string label, std::optional<std::uint64_t> total);
    ~Progress();  // as finish
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // done: steps completed so far. note: a few words shown after the bar, such as the current step. Cheap enough to
    // call at every step.
    void update(std::uint64_t done, std::string_view note = {});
    // Erases the line, so that the next output begins on an empty line. Nothing is drawn until the next update. To be
    // called before anything is printed.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    void draw_until(const std::stop_token& stop);
    void draw();

    std::string label_;
    std::optional<std::uint64_t> total_;
    const bool shown_;
    Clock::time_point start_;
    std::mutex mutex_;  // guards the members below and the line on the terminal
    std::uint64_t done_ = 0;
    std::string note_;
    bool paused_ = false;
    bool drawn_ = false;
    std::jthread drawer_;  // last: uses all members above
};

// Returns the progress line as text: label, bar or count, elapsed time, time left, rate, note. columns: width of the
// terminal.
[[nodiscard]] std::string progress_line(std::string_view label, std::uint64_t done, std::optional<std::uint64_t> total,
                                        double elapsed_seconds, std::string_view note, int columns);

// Returns "0:07", "2:31", "1:02:03".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace throng
