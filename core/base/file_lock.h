// Locks of files between processes. The kernel releases them when the process ends or the last copy of the descriptor is
// closed, so that none remains after a crash. Advisory: only other locks are affected.
#pragma once

#include <sys/types.h>

namespace throng {

enum class FileLock {
    held,         // by this descriptor now
    elsewhere,    // another descriptor holds it, of this process or another one
    unsupported,  // by the file system, or another failure: errno is set
};

// Locks the whole file, without waiting. shared: several may hold it, and none an exclusive lock at the same time.
[[nodiscard]] FileLock try_lock(int file, bool shared = false) noexcept;

// Likewise, and waits while it is held elsewhere.
FileLock lock(int file) noexcept;

// Locks one byte of the file, which need not exist, exclusively and without waiting: one file for any number of locks.
// Independent of the locks above.
[[nodiscard]] FileLock try_lock_byte(int file, off_t byte) noexcept;
void unlock_byte(int file, off_t byte) noexcept;

}  // namespace throng
