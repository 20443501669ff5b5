// Counts the bytes of frames that are copied from a device to the host. A headless run on a GPU copies none.
#pragma once

#include <atomic>
#include <cstdint>

namespace throng {

namespace detail {
inline std::atomic<std::uint64_t> host_copied_bytes{0};
}

// Call for every copy. The count covers all threads since the program's start.
inline void count_host_copy(std::uint64_t bytes) noexcept {
    detail::host_copied_bytes.fetch_add(bytes, std::memory_order_relaxed);
}
[[nodiscard]] inline std::uint64_t host_copied_bytes() noexcept {
    return detail::host_copied_bytes.load(std::memory_order_relaxed);
}

}  // namespace throng
