// Playback control: pause, step, seek, loop and speed. Decides when a decoded frame is due.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace throng {

// Thread-safe. Requests may come from any thread; the decode thread handles them between two frames.
class Playback {
public:
    struct Options {
        bool live = false;   // while paused, frames are discarded instead of delayed
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

    // The functions below are for the decode thread.
    // Returns the newest requested seek and clears it.
    [[nodiscard]] std::optional<double> take_seek();
    // To be called when admitted frames were discarded without a result. Requests the seek again that led to them,
    // unless a newer one is requested. While paused, admits one frame instead of them.
    void admit_again(std::optional<double> seek);
    // Blocks until the frame with this time stamp is due (paused: until a step or resume). Returns false if the frame
    // must be discarded because of a seek, a stop or a paused live source.
    [[nodiscard]] bool admit(double pts, const std::stop_token& stop);
    [[nodiscard]] bool loop() const;
    // Called after the end of the source. Blocks until a seek is requested or, if the source can loop, loop is switched
    // on. Returns false after a stop request.
    [[nodiscard]] bool wait_after_end(bool can_loop, const std::stop_token& stop);

private:
    using Clock = std::chrono::steady_clock;
    struct Anchor {  // the frame with time stamp `pts` was due at time `at`
        Clock::time_point at;
        double pts;
    };
    [[nodiscard]] Clock::time_point due(double pts, Clock::time_point now);
    void changed();  // with the lock held

    const bool live_;
    const bool paced_;
    mutable std::mutex mutex_;
    std::condition_variable_any condition_;
    unsigned version_ = 0;  // incremented with each request, to end a wait
    bool loop_;
    double speed_;
    bool paused_ = false;
    int steps_ = 0;  // number of frames to admit while paused
    std::optional<double> seek_;
    std::optional<Anchor> anchor_;
};

}  // namespace throng
