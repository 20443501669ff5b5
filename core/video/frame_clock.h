// The times of a file's frames in the order of display, as VideoSource promises them for files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace throng {

// Not thread-safe. Ticks are units of the stream's time base, from the start of the stream.
class FrameClock {
public:
    // Returns the time of the next frame: always later than that of the previous frame. stamp: the frame's time stamp,
    // none if it has none. step: ticks between two frames, at least 1. A frame without a time stamp follows after one
    // step, a frame that is not later than the previous one after one tick.
    std::int64_t next(std::optional<std::int64_t> stamp, std::int64_t step) {
        if (!last_) {
            is_timed_ = stamp.has_value();
            return *(last_ = stamp.value_or(0));
        }
        const std::int64_t following = *last_ + step;
        if (stamp && !is_timed_) {  // the frames so far had no time: the first time stamp may be that of the start
            is_timed_ = true;
            offset_ = std::max<std::int64_t>(following - *stamp, 0);
        }
        const std::int64_t ticks = stamp ? *stamp + offset_ : following;
        if (!stamp || ticks <= *last_) ++corrections_;
        return *(last_ = std::max(ticks, *last_ + 1));
    }

    // Returns the time of the last frame; none before the first one.
    [[nodiscard]] std::optional<std::int64_t> last() const { return last_; }

    // Begins a new sequence.
    void reset() { *this = {}; }

    // Returns how many frames since the last reset had no time stamp, or one that is not later than the previous one.
    [[nodiscard]] std::int64_t corrections() const { return corrections_; }

private:
    std::optional<std::int64_t> last_;
    bool is_timed_ = false;    // a frame had a time stamp
    std::int64_t offset_ = 0;  // ticks minus the time stamps
    std::int64_t corrections_ = 0;
};

}  // namespace throng
