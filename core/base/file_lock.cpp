#include "core/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace throng {
namespace {

FileLock lock_file(int file, int operation) noexcept {
    int status = 0;
    while ((status = ::flock(file, operation)) != 0 && errno == EINTR) {
    }
    if (status == 0) return FileLock::held;
    return errno == EWOULDBLOCK ? FileLock::elsewhere : FileLock::unsupported;
}

bool set_byte(int file, off_t byte, short type) noexcept {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = byte;
    range.l_len = 1;
    return ::fcntl(file, F_OFD_SETLK, &range) == 0;
}

}  // namespace

FileLock try_lock(int file, bool shared) noexcept {
    return lock_file(file, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
}

FileLock lock(int file) noexcept {
    return lock_file(file, LOCK_EX);
}

FileLock try_lock_byte(int file, off_t byte) noexcept {
    if (set_byte(file, byte, F_WRLCK)) return FileLock::held;
    return errno == EAGAIN || errno == EACCES ? FileLock::elsewhere : FileLock::unsupported;
}

void unlock_byte(int file, off_t byte) noexcept {
    static_cast<void>(set_byte(file, byte, F_UNLCK));
}

}  // namespace throng
