// The number of detections of recent frames, which chooses kernels and sizes launches. Never needed for a right result.
#pragma once

#include <atomic>
#include <cstdint>

namespace throng::gpu {

// Thread-safe.
class ExpectedCount {
public:
    void set(std::uint32_t detections) noexcept { value_.store(detections, std::memory_order_relaxed); }
    // Returns 0 while nothing is known.
    [[nodiscard]] std::uint32_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> value_{0};
};

}  // namespace throng::gpu
