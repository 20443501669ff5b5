// A limit of the memory that several threads use at the same time.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>

namespace throng {

// Thread-safe.
class MemoryBudget {
public:
    explicit MemoryBudget(std::uint64_t bytes) : free_(bytes), all_(bytes) {}

    // Bytes in use, until it is destroyed.
    using Share = std::shared_ptr<void>;

    // Blocks until the bytes are free or a stop is requested; returns null then. More than the whole budget is given when
    // nothing else is in use.
    [[nodiscard]] Share acquire(std::uint64_t bytes, const std::stop_token& stop) {
        bytes = std::min(bytes, all_);
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [&] { return bytes <= free_; })) return nullptr;
        free_ -= bytes;
        lock.unlock();
        return {this, [bytes](MemoryBudget* budget) {
                    const std::lock_guard guard(budget->mutex_);
                    budget->free_ += bytes;
                    budget->changed_.notify_all();
                }};
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t free_;
    const std::uint64_t all_;
};

}  // namespace throng
