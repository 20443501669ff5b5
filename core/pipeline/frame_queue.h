// The queue of decoded frames between the decode thread and the detect thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/bounded_queue.h"
#include "core/base/in_flight_limiter.h"
#include "core/frame/frame.h"

namespace throng {

struct DecodedFrame {
    Frame frame;
    std::string source;                               // name of the file or stream
    int source_number = 1;                            // see FrameResult
    double decode_ms = 0;                             // time spent reading the frame
    std::chrono::steady_clock::time_point decoded{};  // the source has returned the frame
    std::uint32_t queued = 0;                         // frames that were left in the queue
    InFlightLimiter::Permit permit;                   // files only: held until the boxes of the frame are on the host

    [[nodiscard]] DecodedFrame without_permit() const {
        return {frame, source, source_number, decode_ms, decoded, queued, nullptr};
    }
};

// Closed at the end of the source; DecodeLoop states when frames are replaced.
using FrameQueue = BoundedQueue<DecodedFrame>;

}  // namespace throng
