// The times of a file's frames in seconds, as VideoSource promises them for files.
#pragma once

#include <algorithm>
#include <optional>

namespace throng {

// Not thread-safe.
class FrameClock {
public:
    // Returns the pts of the next frame: never less than that of the previous frame. stream_time: the frame's time stamp
    // in seconds, none if it has none. step: seconds between two frames. After a jump back by more than a second
    // (concatenated files), the pts continues with the next step.
    double next(std::optional<double> stream_time, double step) {
        constexpr double kNewTimeBase = 1;  // seconds
        if (!stream_time) return last_ = last_ < 0 ? 0 : last_ + step;
        double pts = std::max(*stream_time + offset_, 0.0);
        if (pts < last_ - kNewTimeBase) {
            jumped_ = true;
            offset_ += last_ + step - pts;
            pts = last_ + step;
        }
        return last_ = std::max(pts, last_);
    }

    // Begins a new sequence.
    void reset() {
        last_ = -1;
        offset_ = 0;
    }

    // Returns true if the time stamps ever jumped back: pts is then exact only when reading from the start.
    [[nodiscard]] bool jumped() const { return jumped_; }

private:
    double last_ = -1;
    double offset_ = 0;  // pts minus the file's time stamps
    bool jumped_ = false;
};

}  // namespace throng
