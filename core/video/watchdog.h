// Limits one blocking FFmpeg call by a deadline and a stop request.
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

namespace throng {

class Watchdog {
public:
    using Clock = std::chrono::steady_clock;

    void arm(double seconds, std::stop_token stop) {
        arm_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)),
                  std::move(stop));
    }
    void arm_until(Clock::time_point deadline, std::stop_token stop) {
        deadline_ = deadline;
        stop_ = std::move(stop);
    }
    [[nodiscard]] bool expired() const { return Clock::now() >= deadline_; }
    [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

    // For AVFormatContext::interrupt_callback, with the watchdog as its opaque.
    static int interrupt(void* watchdog) {
        const auto* self = static_cast<const Watchdog*>(watchdog);
        return self->expired() || self->stopped() ? 1 : 0;
    }

private:
    Clock::time_point deadline_ = Clock::time_point::max();
    std::stop_token stop_;
};

}  // namespace throng
