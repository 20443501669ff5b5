// Tells a forked process from the one that made an object. fork copies the memory of all threads, but only the calling
// thread itself: in the new process, threads of an older object do not exist, and a lock may stay locked for ever.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace throng {

// Returns how many forks lie between the first call and this process. An object that was made at another count is a
// copy. Process ids would not do: a grandchild may get the id of an ancestor that has ended.
inline std::uint32_t fork_count() noexcept {
    static std::atomic<std::uint32_t> count{0};
    [[maybe_unused]] static const int kRegistered =
        pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
    return count.load(std::memory_order_relaxed);
}

}  // namespace throng
