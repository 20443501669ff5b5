#include "core/pipeline/playback.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace throng {
namespace {

// A source that lags further behind its time stamps continues at normal speed instead of catching up.
constexpr double kMaxLag = 0.5;  // seconds
// A longer gap in the time stamps is skipped.
constexpr double kMaxWait = 10;  // seconds

double checked_speed(double speed) {
    if (!std::isfinite(speed) || speed <= 0) {
        throw Error(ErrorKind::usage, "must be greater than 0", "speed " + std::to_string(speed));
    }
    return speed;
}

}  // namespace

Playback::Playback(const Options& options)
    : live_(options.live), paced_(options.paced), loop_(options.loop), speed_(checked_speed(options.speed)) {}

void Playback::changed() {
    ++version_;
    condition_.notify_all();
}

void Playback::pause(bool paused) {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    anchor_.reset();
    changed();
}

void Playback::step() {
    const std::lock_guard lock(mutex_);
    paused_ = true;
    ++steps_;
    changed();
}

void Playback::seek(double seconds) {
    if (std::isnan(seconds)) return;
    const std::lock_guard lock(mutex_);
    seek_ = std::max(0.0, seconds);
    changed();
}

void Playback::set_loop(bool loop) {
    const std::lock_guard lock(mutex_);
    loop_ = loop;
    changed();
}

void Playback::set_speed(double speed) {
    checked_speed(speed);
    const std::lock_guard lock(mutex_);
    speed_ = speed;
    anchor_.reset();
    changed();
}

bool Playback::paused() const {
    const std::lock_guard lock(mutex_);
    return paused_;
}

bool Playback::loop() const {
    const std::lock_guard lock(mutex_);
    return loop_;
}

std::optional<double> Playback::take_seek() {
    const std::lock_guard lock(mutex_);
    if (seek_) {
        anchor_.reset();
        steps_ = paused_ ? 1 : 0;  // while paused, show one frame at the new position
    }
    return std::exchange(seek_, std::nullopt);
}

void Playback::admit_again(std::optional<double> seek) {
    const std::lock_guard lock(mutex_);
    if (!seek_) seek_ = seek;
    if (paused_) steps_ = 1;
    changed();
}

Playback::Clock::time_point Playback::due(double pts, Clock::time_point now) {
    if (anchor_) {
        const double wait = (pts - anchor_->pts) / speed_;
        const Clock::time_point at = anchor_->at + std::chrono::duration_cast<Clock::duration>(
                                                       std::chrono::duration<double>(std::clamp(wait, 0.0, 1e6)));
        const double ahead = std::chrono::duration<double>(at - now).count();
        if (wait >= 0 && ahead >= -kMaxLag && ahead <= kMaxWait) return at;
    }
    anchor_ = Anchor{now, pts};
    return now;
}

bool Playback::admit(double pts, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (stop.stop_requested() || seek_) return false;
        if (steps_ > 0) {
            --steps_;
            return true;
        }
        const unsigned seen = version_;
        const auto is_new = [this, seen] { return version_ != seen; };
        if (paused_) {
            if (live_) return false;
            condition_.wait(lock, stop, is_new);
            continue;
        }
        if (!paced_) return true;
        const Clock::time_point now = Clock::now();
        const Clock::time_point at = due(pts, now);
        if (at <= now) return true;
        condition_.wait_until(lock, stop, at, is_new);
    }
}

bool Playback::wait_after_end(bool can_loop, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return condition_.wait(lock, stop, [&] { return seek_.has_value() || (can_loop && loop_); });
}

}  // namespace throng
