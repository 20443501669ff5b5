#include "app/options/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/sleep.h"

namespace throng {
namespace {

constexpr auto kFirstDraw = std::chrono::milliseconds(300);
constexpr auto kBetweenDraws = std::chrono::milliseconds(250);
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
    const auto compose = [&](int bar_width, bool with_rate) {
        std::string line(label);
        if (total && *total > 0) {
            const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total));
            const auto filled = static_cast<std::size_t>(fraction * bar_width);
            if (bar_width > 0) {
                line += fmt::format(" [{}{}]", std::string(filled, '#'),
                                    std::string(static_cast<std::size_t>(bar_width) - filled, '.'));
            }
            line += fmt::format(" {:3.0f} %  {}/{}", 100 * fraction, done, *total);
        } else if (done > 0) {
            line += fmt::format(" {}", done);
        }
        line += "  " + duration_text(elapsed_seconds);
        if (total && rate > 0 && done < *total) {
            line += "  " + duration_text(static_cast<double>(*total - done) / rate) + " left";
        }
        if (with_rate && rate > 0) line += fmt::format("  {:.1f}/s", rate);
        if (!note.empty()) line += fmt::format("  {}", note);
        return line;
    };
    std::string line = compose(kBarWidth, true);
    if (columns <= 1) return line;
    // A wrapped line cannot be erased. The note is more informative than the bar and the rate, so these shrink first.
    const auto max_length = static_cast<std::size_t>(columns - 1);
    for (const auto& [bar_width, with_rate] : {std::pair{kBarWidth / 2, true}, {kBarWidth / 2, false}, {0, false}}) {
        if (line.size() > max_length) line = compose(bar_width, with_rate);
    }
    line.resize(std::min(line.size(), max_length));
    return line;
}

Progress::Progress(const CommonOptions& common, std::string label, std::optional<std::uint64_t> total)
    : label_(std::move(label)),
      total_(total),
      shown_(!common.quiet && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()) {
    if (!shown_) return;
    drawer_ = std::jthread([this](const std::stop_token& stop) { draw_until(stop); });
}

Progress::~Progress() {
    if (!shown_) return;
    drawer_.request_stop();
    drawer_.join();
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
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    paused_ = true;
    if (!drawn_) return;
    std::fputs(kClearLine, stderr);
    std::fflush(stderr);
    drawn_ = false;
}

void Progress::draw_until(const std::stop_token& stop) {
    for (auto next = start_ + kFirstDraw; sleep_until(next, stop); next = Clock::now() + kBetweenDraws) {
        const std::lock_guard lock(mutex_);
        if (!paused_) draw();
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
