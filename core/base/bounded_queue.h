// A first-in, first-out queue between threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace throng {

enum class PopStatus : std::uint8_t {
    value,    // a value was popped
    closed,   // close was called, and all values before it were popped
    woken,    // wake was called while no value was queued
    timeout,  // no value within the time limit
    stopped,  // a stop was requested
};

inline constexpr std::chrono::duration<double> kNoTimeLimit{1e9};

// Thread-safe, for any number of producers and consumers. Values are destroyed outside the lock.
template <typename T>
class BoundedQueue {
public:
    // capacity: maximum number of queued values, at least 1.
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

    // Blocks while the queue is full. Returns false, and does not push, if a stop is requested first.
    bool push(T value, const std::stop_token& stop = {}) {
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return values_.size() < capacity_; })) return false;
            values_.push_back(std::move(value));
            closed_ = false;
        }
        changed_.notify_all();
        return true;
    }

    // Never blocks: discards the oldest value of a full queue and counts it in dropped().
    void replace(T value) {
        std::optional<T> replaced;
        {
            const std::lock_guard lock(mutex_);
            if (values_.size() >= capacity_) {
                replaced = std::move(values_.front());
                values_.pop_front();
                ++dropped_;
            }
            values_.push_back(std::move(value));
            closed_ = false;
        }
        changed_.notify_all();
    }

    // Blocks until there is a value or another event; a stop request comes before queued values. Changes `value` only
    // if it returns PopStatus::value.
    [[nodiscard]] PopStatus pop(T& value, const std::stop_token& stop = {},
                                std::chrono::duration<double> time_limit = kNoTimeLimit) {
        std::unique_lock lock(mutex_);
        const bool ready = changed_.wait_for(lock, stop, std::min(time_limit, kNoTimeLimit),
                                             [this] { return !values_.empty() || closed_ || woken_; });
        if (stop.stop_requested()) return PopStatus::stopped;
        if (!ready) return PopStatus::timeout;
        const bool woken = std::exchange(woken_, false);
        if (values_.empty()) return woken ? PopStatus::woken : PopStatus::closed;
        take_oldest(value, lock);
        return PopStatus::value;
    }

    // Pops a value if one is queued; never blocks.
    [[nodiscard]] bool try_pop(T& value) {
        std::unique_lock lock(mutex_);
        if (values_.empty()) return false;
        take_oldest(value, lock);
        return true;
    }

    // Makes pop return PopStatus::closed once the queued values are popped. A later push, replace or clear reverts this.
    void close() { set(closed_, true); }
    // Makes a blocked pop, or else the next one, return PopStatus::woken unless a value is queued.
    void wake() { set(woken_, true); }

    // Discards the queued values, which do not count as dropped, and reverts close.
    void clear() {
        std::deque<T> discarded;
        {
            const std::lock_guard lock(mutex_);
            discarded.swap(values_);
            closed_ = false;
        }
        changed_.notify_all();
    }
    // Reverts close unless values are queued. For a consumer that waits for more after PopStatus::closed: another close,
    // after values that it has not popped yet, remains in force.
    void reopen() {
        const std::lock_guard lock(mutex_);
        if (values_.empty()) closed_ = false;
    }

    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return values_.size();
    }
    [[nodiscard]] bool empty() const {
        const std::lock_guard lock(mutex_);
        return values_.empty();
    }
    // Returns the number of values that replace discarded.
    [[nodiscard]] std::uint64_t dropped() const {
        const std::lock_guard lock(mutex_);
        return dropped_;
    }

private:
    void set(bool& flag, bool on) {
        {
            const std::lock_guard lock(mutex_);
            flag = on;
        }
        changed_.notify_all();
    }

    void take_oldest(T& value, std::unique_lock<std::mutex>& lock) {
        T oldest = std::move(values_.front());
        values_.pop_front();
        lock.unlock();
        changed_.notify_all();
        value = std::move(oldest);
    }

    const std::size_t capacity_;
    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable_any changed_;
    std::deque<T> values_;
    std::uint64_t dropped_ = 0;
    bool closed_ = false;
    bool woken_ = false;
};

}  // namespace throng
