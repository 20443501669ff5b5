// The number of detections of recent frames, which chooses kernels and sizes launches. Never needed for a right result.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

namespace throng::gpu {

// Thread-safe.
class ExpectedCount {
public:
    void set(std::uint32_t detections) noexcept { value_.store(detections, std::memory_order_relaxed); }
    // Empty while nothing is known.
    [[nodiscard]] std::optional<std::uint32_t> value() const noexcept {
        const std::uint32_t value = value_.load(std::memory_order_relaxed);
        return value == kUnknown ? std::nullopt : std::optional(value);
    }

private:
    static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
    std::atomic<std::uint32_t> value_{kUnknown};
};

}  // namespace throng::gpu
