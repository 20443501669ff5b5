// The rate of events, such as frames per second.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>

namespace throng {

// Measures results per second over the last second, or between the last two results if these are further apart.
class RateMeter {
public:
    using Time = std::chrono::steady_clock::time_point;

    void tick(Time now) {
        times_.push_back(now);
        while (times_.size() > 2 && now - times_.front() > std::chrono::seconds(1)) times_.pop_front();
    }
    // Measures from now on: the results before came before a pause.
    void restart(Time now) {
        if (!times_.empty()) times_ = {now};
    }
    // Returns true if no result came for 2 s, or for three times the last interval if that is longer.
    [[nodiscard]] bool silent(Time now) const {
        if (times_.empty()) return false;
        const std::chrono::nanoseconds last =
            times_.size() < 2 ? Time::duration{} : times_.back() - *(times_.end() - 2);
        return now - times_.back() > std::max<std::chrono::nanoseconds>(std::chrono::seconds(2), 3 * last);
    }
    [[nodiscard]] double rate(Time now) const {
        if (times_.size() < 2 || times_.back() == times_.front() || silent(now)) return 0;
        const std::chrono::duration<double> span = times_.back() - times_.front();
        return static_cast<double>(times_.size() - 1) / span.count();
    }

private:
    std::deque<Time> times_;
};

}  // namespace throng
