// The time until something that failed is tried again: twice as long after each failure.
#pragma once

#include <QTimer>
#include <algorithm>
#include <chrono>

namespace throng::ui {

// Lives on the window's thread.
class RetryTimer : public QTimer {
public:
    RetryTimer(std::chrono::milliseconds first, std::chrono::milliseconds max) : first_(first), max_(max) {
        setSingleShot(true);
    }
    void start_next() {
        start(next_);
        next_ = std::min(2 * next_, max_);
    }
    // It has succeeded: the next failure is the first one.
    void reset() {
        stop();
        next_ = first_;
    }
    [[nodiscard]] int seconds() const { return isActive() ? (remainingTime() + 999) / 1000 : 0; }  // left

private:
    const std::chrono::milliseconds first_, max_;
    std::chrono::milliseconds next_ = first_;
};

}  // namespace throng::ui
