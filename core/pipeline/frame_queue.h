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
    std::string source;              // name of the file or stream
    int source_number = 1;           // see FrameResult
    double decode_ms = 0;            // time spent reading the frame
    InFlightLimiter::Permit permit;  // files only: held until the boxes of the frame are on the host

    [[nodiscard]] DecodedFrame without_permit() const { return {frame, source, source_number, decode_ms, nullptr}; }
};

// Thread-safe, for one producer and one consumer.
class FrameQueue {
public:
    enum class Policy : std::uint8_t {
        keep_newest,  // holds one frame: a newer frame replaces a frame that was not popped, and the drop is counted
        keep_all,     // holds every frame; InFlightLimiter limits their number
    };
    enum class Event : std::uint8_t {
        frame,
        woken,    // wake was called: settings changed while the queue was empty
        ended,    // finish was called and all frames before it were popped; reported once
        stopped,  // a stop was requested
    };

    explicit FrameQueue(Policy policy) : policy_(policy) {}

    void push(DecodedFrame frame);  // never blocks
    // Marks the end of the frames; a later push or clear reverts this.
    void finish();
    // Discards the queued frames (after a seek); they do not count as dropped.
    void clear();
    // Makes a blocked pop on an empty queue return Event::woken.
    void wake();

    // Blocks until there is a frame or another event.
    [[nodiscard]] Event pop(DecodedFrame& frame, const std::stop_token& stop);
    // Pops a frame if one is queued; never blocks.
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
