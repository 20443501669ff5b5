// Back pressure for files: limits the number of frames between the decoder and the boxes on the host. A frame is
// decoded only while its source holds a permit for it, so that no decoded frame waits long for a busy detector.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace throng {

class InFlightLimiter;

// Permits beyond the one that each source owns, granted in the order of requests. Pipelines that run at the same time
// share one object. Thread-safe.
class SharedPermits {
public:
    explicit SharedPermits(int permits) : free_(permits) {}

private:
    friend class InFlightLimiter;
    void wake_next();  // with the lock held

    std::mutex mutex_;
    int free_;
    std::deque<InFlightLimiter*> waiting_;  // longest wait first
};

// Total for all pipelines of a run. Keeps a GPU busy while each of many streams decodes (core/pipeline/README.md).
inline constexpr int kSharedPermits = 6;

// Grants the permits of one source: one of its own, the others from SharedPermits. Thread-safe. Must outlive its
// permits.
class InFlightLimiter {
public:
    struct Release {
        void operator()(InFlightLimiter* limiter) const { limiter->release(); }
    };
    using Permit = std::unique_ptr<InFlightLimiter, Release>;  // released by its destructor

    // max_held: maximum number of permits held at once, including the source's own permit; at least 1.
    InFlightLimiter(std::shared_ptr<SharedPermits> shared, int max_held)
        : shared_(std::move(shared)), max_held_(max_held) {}
    InFlightLimiter(const InFlightLimiter&) = delete;
    InFlightLimiter& operator=(const InFlightLimiter&) = delete;
    ~InFlightLimiter() = default;

    // Blocks until a permit is available; returns null if a stop is requested first. Must be called from one thread
    // only.
    [[nodiscard]] Permit acquire(const std::stop_token& stop);

private:
    friend class SharedPermits;
    [[nodiscard]] bool has_permit() const { return held_ == 0 || (held_ < max_held_ && shared_->free_ > 0); }
    void release();

    const std::shared_ptr<SharedPermits> shared_;  // its mutex guards the members below
    const int max_held_;
    int held_ = 0;
    std::condition_variable_any changed_;
};

}  // namespace throng
