#include "core/pipeline/handover.h"

#include <utility>

namespace throng {

void Handover::put(DecodedFrame frame) {
    DecodedFrame replaced;  // let go outside the lock: it may give memory back
    {
        const std::lock_guard lock(mutex_);
        if (policy_ == Policy::keep_newest && !frames_.empty()) {
            replaced = std::move(frames_.front());
            frames_.pop_front();
            ++dropped_;
        }
        frames_.push_back(std::move(frame));
        finished_ = false;
    }
    changed_.notify_all();
}

void Handover::finish() {
    {
        const std::lock_guard lock(mutex_);
        finished_ = true;
    }
    changed_.notify_all();
}

void Handover::clear() {
    std::deque<DecodedFrame> forgotten;
    {
        const std::lock_guard lock(mutex_);
        forgotten.swap(frames_);
        finished_ = false;
    }
}

void Handover::poke() {
    {
        const std::lock_guard lock(mutex_);
        poked_ = true;
    }
    changed_.notify_all();
}

Handover::Taken Handover::take(DecodedFrame& frame, const std::stop_token& stop) {
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [this] { return !frames_.empty() || finished_ || poked_; });
        if (stop.stop_requested()) return Taken::stopped;
        if (frames_.empty()) {
            if (std::exchange(poked_, false)) return Taken::poked;
            finished_ = false;
            return Taken::ended;
        }
        poked_ = false;  // the settings are looked at before every frame anyway
        frame = std::move(frames_.front());
        frames_.pop_front();
    }
    return Taken::frame;
}

bool Handover::try_take(DecodedFrame& frame) {
    const std::lock_guard lock(mutex_);
    if (frames_.empty()) return false;
    frame = std::move(frames_.front());
    frames_.pop_front();
    return true;
}

std::uint64_t Handover::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

}  // namespace throng
