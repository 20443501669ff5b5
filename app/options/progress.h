// A progress bar on standard error for long work. Shows nothing with --quiet or where standard error is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/commands/command.h"

namespace throng {

class Progress {
public:
    // total: steps of the whole work; nothing where it is not known (then a count and a rate are shown).
    Progress(const CommonOptions& common, std::string label, std::optional<std::uint64_t> total);
    ~Progress();  // as finish
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // done: steps done so far; note: a few words shown behind the bar. Cheap to call at every step: draws ten times a
    // second.
    void update(std::uint64_t done, std::string_view note = {});
    // Takes the bar off the screen; what is printed next begins on a clean line.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    std::string label_;
    std::optional<std::uint64_t> total_;
    bool shown_;
    bool drawn_ = false;
    Clock::time_point start_;
    Clock::time_point next_draw_;
};

// The bar as a line of text, apart from the terminal: label, bar or count, rate, time left. columns: width of the
// terminal.
[[nodiscard]] std::string progress_line(std::string_view label, std::uint64_t done, std::optional<std::uint64_t> total,
                                        double elapsed_seconds, std::string_view note, int columns);

// "0:07", "2:31", "1:02:03".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace throng
