// The queue of decoded frames between the decode thread and the detect thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/frame/frame.h"
#include "core/pipeline/in_flight_limiter.h"

namespace throng {

struct DecodedFrame {
    Frame frame;
    std::string source;              // the file shown
    int source_number = 1;           // see FrameResult
    double decode_ms = 0;            // time spent reading it
    InFlightLimiter::Permit permit;  // of a file's frame, held until its boxes are there

    [[nodiscard]] DecodedFrame without_permit() const { return {frame, source, source_number, decode_ms, nullptr}; }
};

// One thread pushes, one pops; every member is thread-safe.
class FrameQueue {
public:
    enum class Policy : std::uint8_t {
        keep_newest,  // one frame: a newer one replaces it if it was not popped, and the drop is counted
        keep_all,     // as many as hold a permit (see InFlightLimiter)
    };
    enum class Event : std::uint8_t {
        frame,
        woken,    // wake was called: settings changed while no frame came
        ended,    // finish was called and all frames before it were popped; reported once
        stopped,  // a stop was requested
    };

    explicit FrameQueue(Policy policy) : policy_(policy) {}

    void push(DecodedFrame frame);  // never waits
    // No more frames for now; a later push or clear takes it back.
    void finish();
    // Discards the queued frames (after a seek); they do not count as dropped.
    void clear();
    void wake();

    [[nodiscard]] Event pop(DecodedFrame& frame, const std::stop_token& stop);
    // Pops a frame if one is queued; never waits.
    [[nodiscard]] bool try_pop(DecodedFrame& frame);
    [[nodiscard]] std::uint64_t dropped() const;

private:
    const Policy policy_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<DecodedFrame> frames_;
    std::uint64_t dropped_ = 0;
    bool finished_ = false;
    bool woken_ = false;
};

}  // namespace throng
