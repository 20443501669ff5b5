#include "core/pipeline/frame_queue.h"

#include <utility>

namespace throng {

void FrameQueue::push(DecodedFrame frame) {
    DecodedFrame replaced;  // destroyed outside the lock, because that may free memory
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

void FrameQueue::finish() {
    {
        const std::lock_guard lock(mutex_);
        finished_ = true;
    }
    changed_.notify_all();
}

void FrameQueue::clear() {
    std::deque<DecodedFrame> discarded;  // destroyed outside the lock
    {
        const std::lock_guard lock(mutex_);
        discarded.swap(frames_);
        finished_ = false;
    }
}

void FrameQueue::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    changed_.notify_all();
}

FrameQueue::Event FrameQueue::pop(DecodedFrame& frame, const std::stop_token& stop) {
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [this] { return !frames_.empty() || finished_ || woken_; });
        if (stop.stop_requested()) return Event::stopped;
        if (frames_.empty()) {
            if (std::exchange(woken_, false)) return Event::woken;
            finished_ = false;
            return Event::ended;
        }
        woken_ = false;  // the consumer checks the settings before every frame anyway
        frame = std::move(frames_.front());
        frames_.pop_front();
    }
    return Event::frame;
}

bool FrameQueue::try_pop(DecodedFrame& frame) {
    const std::lock_guard lock(mutex_);
    if (frames_.empty()) return false;
    frame = std::move(frames_.front());
    frames_.pop_front();
    return true;
}

std::uint64_t FrameQueue::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

}  // namespace throng
