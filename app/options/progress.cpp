#include "app/options/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace throng {
namespace {

constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
constexpr int kBarWidth = 28;
constexpr const char* kClearLine = "\r\033[K";

int terminal_columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string duration_text(double seconds) {
    const auto whole = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 1e9)));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string progress_line(std::string_view label, std::uint64_t done, std::optional<std::uint64_t> total,
                          double elapsed_seconds, std::string_view note, int columns) {
    const double rate = elapsed_seconds > 0 ? static_cast<double>(done) / elapsed_seconds : 0;
    std::string line(label);
    if (total && *total > 0) {
        const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total));
        const int filled = static_cast<int>(fraction * kBarWidth);
        line +=
            fmt::format(" [{}{}] {:3.0f} %  {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                        std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * fraction, done, *total);
        if (rate > 0 && done < *total)
            line += "  " + duration_text(static_cast<double>(*total - done) / rate) + " left";
    } else {
        line += fmt::format(" {}  {}", done, duration_text(elapsed_seconds));
    }
    if (rate > 0) line += fmt::format("  {:.1f}/s", rate);
    if (!note.empty()) line += fmt::format("  {}", note);
    // A line that wraps could not be cleared again.
    if (columns > 1) line.resize(std::min(line.size(), static_cast<std::size_t>(columns - 1)));
    return line;
}

Progress::Progress(const CommonOptions& common, std::string label, std::optional<std::uint64_t> total)
    : label_(std::move(label)),
      total_(total),
      shown_(!common.quiet && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_draw_(start_) {}

Progress::~Progress() {
    finish();
}

void Progress::update(std::uint64_t done, std::string_view note) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    done_ = done;
    note_ = note;
    paused_ = false;
}

void Progress::finish() {
    if (!drawn_) return;
    std::fputs(kClearLine, stderr);
    std::fflush(stderr);
    drawn_ = false;
}

void Progress::draw_until(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    auto next = start_ + kFirstDraw;
    while (!wake_.wait_until(lock, stop, next, [&] { return stop.stop_requested(); })) {
        if (!paused_) draw();
        next = Clock::now() + kBetweenDraws;
    }
}

void Progress::draw() {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string line = progress_line(label_, done_, total_, elapsed, note_, terminal_columns());
    std::fprintf(stderr, "%s%s", kClearLine, line.c_str());
    std::fflush(stderr);
    drawn_ = true;
}

}  // namespace throng
