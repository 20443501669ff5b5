// Pause, step, seek, loop and speed: what the user asks of playback, and when a decoded frame is due.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace throng {

// Requests come from any thread; the decode thread obeys them between two frames.
class Playback {
public:
    struct Options {
        bool live = false;   // frames cannot wait: while paused they are discarded
        bool paced = false;  // frames are due at their time stamps
        bool loop = false;
        double speed = 1.0;  // of a paced source, > 0
    };
    explicit Playback(const Options& options);

    void pause(bool paused);
    void step();
    void seek(double seconds);  // negative values mean the start; NaN is ignored
    void set_loop(bool loop);
    void set_speed(double speed);  // throws Error(usage) unless finite and > 0
    [[nodiscard]] bool paused() const;

    // For the decode thread.
    // The newest seek asked for, once.
    [[nodiscard]] std::optional<double> take_seek();
    // Waits until the frame with this time stamp is due (paused: until a step or resume). False: discard it, because of
    // a seek, a stop or a paused live source.
    [[nodiscard]] bool admit(double pts, const std::stop_token& stop);
    [[nodiscard]] bool loop() const;
    // After the end of the source: waits for a seek or for loop to be switched on. False: a stop was asked for.
    [[nodiscard]] bool wait_after_end(const std::stop_token& stop);

private:
    using Clock = std::chrono::steady_clock;
    struct Anchor {  // a frame with time stamp `pts` was due `at`
        Clock::time_point at;
        double pts;
    };
    [[nodiscard]] Clock::time_point due(double pts, Clock::time_point now);
    void changed();  // with the lock held

    const bool live_;
    const bool paced_;
    mutable std::mutex mutex_;
    std::condition_variable_any condition_;
    unsigned version_ = 0;  // of the requests, so that a wait ends when they change
    bool loop_;
    double speed_;
    bool paused_ = false;
    int steps_ = 0;  // frames to let through although paused
    std::optional<double> seek_;
    std::optional<Anchor> anchor_;
};

}  // namespace throng
