#include "core/pipeline/frame_places.h"

#include <algorithm>

namespace throng {

// One at a time: who takes a place wakes the next one, if there is more to have.
void SparePlaces::wake_next() {
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [](const auto* each) { return each->has_one(); });
    if (next != waiting_.end()) (*next)->changed_.notify_one();
}

FramePlaces::Place FramePlaces::take(const std::stop_token& stop) {
    std::unique_lock lock(spare_->mutex_);
    if (!has_one()) {
        spare_->waiting_.push_back(this);
        changed_.wait(lock, stop, [this] { return has_one(); });
        std::erase(spare_->waiting_, this);
    }
    const bool taken = has_one();
    if (taken) {
        if (held_ > 0) --spare_->free_;
        ++held_;
    }
    spare_->wake_next();
    return Place(taken ? this : nullptr);
}

void FramePlaces::give_back() {
    const std::lock_guard lock(spare_->mutex_);
    --held_;
    if (held_ > 0) ++spare_->free_;
    spare_->wake_next();
}

}  // namespace throng
