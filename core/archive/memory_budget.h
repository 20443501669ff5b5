// A limit of the memory that several threads use at the same time.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace throng {

// Thread-safe.
class MemoryBudget {
public:
    explicit MemoryBudget(std::uint64_t bytes) : free_(bytes), all_(bytes) {}

    // Bytes in use, returned by the destructor.
    class Share {
    public:
        Share() = default;
        Share(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}
        ~Share() { release(); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        Share(Share&& other) noexcept : budget_(other.budget_), bytes_(other.bytes_) { other.budget_ = nullptr; }
        Share& operator=(Share&&) = delete;

    private:
        void release() {
            if (budget_ == nullptr) return;
            {
                const std::lock_guard lock(budget_->mutex_);
                budget_->free_ += bytes_;
            }
            budget_->changed_.notify_all();
        }
        MemoryBudget* budget_ = nullptr;
        std::uint64_t bytes_ = 0;
    };

    // Blocks until the bytes are free or a stop is requested; an empty share is returned then. More than the whole
    // budget is given when nothing else is in use.
    [[nodiscard]] Share acquire(std::uint64_t bytes, const std::stop_token& stop) {
        bytes = std::min(bytes, all_);
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [&] { return bytes <= free_; })) return {};
        free_ -= bytes;
        return {*this, bytes};
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t free_;
    const std::uint64_t all_;
};

}  // namespace throng
