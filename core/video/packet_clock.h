// The time stamps of a stream's packets on one clock that never wraps, and where that clock jumps back.
#pragma once

#include <cstdint>
#include <optional>

#include "core/video/av.h"

namespace throng {

// Seconds between two frames of this stream; 0.04 for streams of unknown rate.
[[nodiscard]] double frame_step_of(AVFormatContext& input, AVStream& stream);

// Returns by how many seconds a frame may be earlier than one in front of it, in a stream with this step. What is earlier
// by more is a jump of the clock.
[[nodiscard]] double max_reorder(double step);

// Not thread-safe. One per stream, which gets all packets of the stream in the order of the file.
class PacketClock {
public:
    // Adds to pts and dts what the clock of the stream (AVStream::pts_wrap_bits) lost when it wrapped. step: seconds
    // between two packets.
    //
    // Returns a number of ticks if the clock jumped back before this packet, as in a concatenated file: this packet and
    // those that follow continue one step after the packets so far if they are shifted by it. That is a jump by more
    // than a second, or in a format without edits, any key packet that is not later than all packets before it.
    // (Whatever the order of display, it is later in a stream without a jump.)
    [[nodiscard]] std::optional<std::int64_t> follow(AVPacket& packet, const AVFormatContext& input, double step);

    // Begins a new sequence, after a seek. Its first packet gets the time that is nearest to `time` (ticks).
    void begin_near(std::int64_t time);

private:
    std::optional<std::int64_t> near_;  // the last time stamp, without wraps
    bool begins_ = false;               // the next packet may be far from near_
    std::int64_t wrapped_ = 0;          // ticks lost so far
    std::optional<std::int64_t> highest_;
    std::optional<std::int64_t> last_dts_;
    bool lacks_pts_ = false;  // a packet since the last jump had no pts
    bool has_delta_ = false;  // a packet was no key packet, so that those which are can be trusted
};

// Returns false for a missing time stamp, and for one that only a damaged file can have.
[[nodiscard]] bool is_time(std::int64_t stamp);

// Adds ticks to the time stamps that the packet has.
void shift_times(AVPacket& packet, std::int64_t ticks);

}  // namespace throng
