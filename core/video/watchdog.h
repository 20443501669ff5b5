// Bounds one blocking call into FFmpeg: by a deadline and by a stop request.
#pragma once

#include <chrono>
#include <stop_token>

namespace throng {

class Watchdog {
public:
    void arm(double seconds, std::stop_token stop) {
        using Clock = std::chrono::steady_clock;
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        stop_ = std::move(stop);
    }
    [[nodiscard]] bool expired() const { return std::chrono::steady_clock::now() >= deadline_; }
    [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

    // For AVFormatContext::interrupt_callback, with the watchdog as its opaque.
    static int interrupt(void* watchdog) {
        const auto* self = static_cast<const Watchdog*>(watchdog);
        return self->expired() || self->stopped() ? 1 : 0;
    }

private:
    std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
    std::stop_token stop_;
};

}  // namespace throng
