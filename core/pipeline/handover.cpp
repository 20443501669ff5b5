#include "core/pipeline/handover.h"

#include <utility>

namespace throng {
namespace {

// Enough for the decoder to run ahead over a slow frame, small enough for large pictures.
constexpr std::size_t kPlacesOfFile = 3;

}  // namespace

Handover::Handover(Policy policy) : policy_(policy), places_(policy == Policy::keep_newest ? 1 : kPlacesOfFile) {}

bool Handover::put(DecodedFrame frame, std::stop_token stop) {
    DecodedFrame replaced;  // let go outside the lock: it may give memory back
    {
        std::unique_lock lock(mutex_);
        if (policy_ == Policy::keep_all) {
            if (!changed_.wait(lock, stop, [this] { return frames_.size() < places_; })) return false;
        } else if (frames_.size() == places_) {
            replaced = std::move(frames_.front());
            frames_.pop_front();
            ++dropped_;
        }
        frames_.push_back(std::move(frame));
        finished_ = false;
    }
    changed_.notify_all();
    return true;
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
    changed_.notify_all();
}

void Handover::poke() {
    {
        const std::lock_guard lock(mutex_);
        poked_ = true;
    }
    changed_.notify_all();
}

Handover::Taken Handover::take(DecodedFrame& frame, std::stop_token stop) {
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
    changed_.notify_all();
    return Taken::frame;
}

bool Handover::try_take(DecodedFrame& frame) {
    {
        const std::lock_guard lock(mutex_);
        if (frames_.empty()) return false;
        frame = std::move(frames_.front());
        frames_.pop_front();
    }
    changed_.notify_all();
    return true;
}

std::uint64_t Handover::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

}  // namespace throng
