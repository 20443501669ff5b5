#include "ui/counts/live_counter.h"

#include <chrono>

namespace throng::ui {

void LiveCounter::write(const FrameResult& result) {
    using Clock = std::chrono::steady_clock;
    const FrameInfo& info = result.frame.info();
    const std::lock_guard lock(mutex_);
    const Clock::time_point start = Clock::now();
    static_cast<void>(counter_.update(result.tracks, info.pts, info.width, info.height));
    frame_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void LiveCounter::restart(const CountPlan& plan) {
    const std::lock_guard lock(mutex_);
    counter_ = Counter(plan);
}

void LiveCounter::change(const CountPlan& plan) {
    const std::lock_guard lock(mutex_);
    counter_.change(plan);
}

LiveCounter::Figures LiveCounter::figures() const {
    const std::lock_guard lock(mutex_);
    return {counter_.totals(), frame_ms_};
}

}  // namespace throng::ui
