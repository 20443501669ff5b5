// A sink that records what it receives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/frame_result.h"

namespace throng::test {

// Returns 0, 1, … n - 1.
inline std::vector<std::int64_t> count_to(std::int64_t n) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// Records the results that it receives.
class RecordingSink final : public ResultSink {
public:
    explicit RecordingSink(std::int64_t fails_at = -1) : fails_at_(fails_at) {}

    void write(const FrameResult& result) override {
        const std::lock_guard lock(mutex_);
        if (result.frame.info().index == fails_at_)
            throw Error(ErrorKind::input, "cannot write: the disk is full", "sink");
        frames_.push_back(result.frame.info().index);
        kept_.push_back(result.kept.detections.size());
        overflows_.push_back(result.overflow);
    }
    void close() override { ++closed_; }

    [[nodiscard]] std::vector<std::int64_t> frames() const {
        const std::lock_guard lock(mutex_);
        return frames_;
    }
    [[nodiscard]] std::vector<std::size_t> kept() const {
        const std::lock_guard lock(mutex_);
        return kept_;
    }
    [[nodiscard]] std::vector<std::uint32_t> overflows() const {
        const std::lock_guard lock(mutex_);
        return overflows_;
    }
    [[nodiscard]] int closed() const { return closed_; }

private:
    std::int64_t fails_at_;
    mutable std::mutex mutex_;
    std::vector<std::int64_t> frames_;
    std::vector<std::size_t> kept_;
    std::vector<std::uint32_t> overflows_;
    std::atomic<int> closed_ = 0;
};

}  // namespace throng::test
