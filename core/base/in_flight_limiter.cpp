#include "core/base/in_flight_limiter.h"

#include <algorithm>

namespace throng {

// Wakes only one waiter. That waiter wakes the next one if permits are left.
void SharedPermits::wake_next() {
    const auto next =
        std::find_if(waiting_.begin(), waiting_.end(), [](const auto* each) { return each->has_permit(); });
    if (next != waiting_.end()) (*next)->changed_.notify_one();
}

InFlightLimiter::Permit InFlightLimiter::acquire(const std::stop_token& stop) {
    std::unique_lock lock(shared_->mutex_);
    if (!has_permit()) {
        shared_->waiting_.push_back(this);
        changed_.wait(lock, stop, [this] { return has_permit(); });
        std::erase(shared_->waiting_, this);
    }
    const bool acquired = has_permit();
    if (acquired) {
        if (held_ > 0) --shared_->free_;
        ++held_;
    }
    shared_->wake_next();
    return Permit(acquired ? this : nullptr);
}

void InFlightLimiter::release() {
    const std::lock_guard lock(shared_->mutex_);
    --held_;
    if (held_ > 0) ++shared_->free_;
    shared_->wake_next();
}

}  // namespace throng
