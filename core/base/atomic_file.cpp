#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace throng {
namespace {

constexpr mode_t kMode = 0666;

}  // namespace

AtomicFile::AtomicFile(std::string path, bool durable)
    : path_(std::move(path)), target_(link_target(path_)), durable_(durable) {
    check_output_path(path_);
    const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
    folder_ = folder.empty() ? "." : folder.string();
    struct stat status {};
    if (::stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        throw Error(ErrorKind::input, "is not a regular file", path_, "choose another name");
    }
    // An unnamed file gets its name through /proc, which some containers lack.
    if (::access("/proc/self/fd", X_OK) == 0) {
        file_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
        if (file_ >= 0) return;
    }
    const std::string name = temporary_name();
    file_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (file_ < 0) fail("cannot create the file", errno);
    temporary_ = name;
}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    if (file_ >= 0) ::close(file_);
}

std::string AtomicFile::temporary_name() const {
    static std::atomic<unsigned> counter = 0;
    return folder_ + "/.throng-" + std::to_string(::getpid()) + "-part-" + std::to_string(++counter);
}

void AtomicFile::fail(const std::string& what, int code) const {
    throw system_error(what, path_, code);
}

std::string AtomicFile::open_path() const {
    return temporary_.empty() ? "/proc/self/fd/" + std::to_string(file_) : temporary_;
}

void AtomicFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written >= 0) bytes.remove_prefix(static_cast<std::size_t>(written));
        if (written < 0 && errno != EINTR) fail("cannot write", errno);
    }
}

std::int64_t AtomicFile::seek(std::int64_t offset, int whence) {
    return ::lseek(file_, offset, whence);
}

void AtomicFile::commit() {
    struct stat status {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists && ::fchmod(file_, status.st_mode & 07777) != 0) fail("cannot write", errno);
    // Reports a disk that is full or broken only now on some file systems.
    if (durable_ && ::fsync(file_) != 0) fail("cannot write", errno);
    if (temporary_.empty()) {
        // A link cannot replace a file, so the file gets a hidden name first.
        const std::string name = temporary_name();
        if (::linkat(AT_FDCWD, open_path().c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
            fail("cannot write", errno);
        }
        temporary_ = name;
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot write", errno);
    temporary_.clear();
    if (::close(std::exchange(file_, -1)) != 0) fail("cannot write", errno);
    if (!durable_) return;
    // Makes the new name durable. The file is complete without it, so a failure is no error.
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    static_cast<void>(::fsync(folder));
    ::close(folder);
}

void write_durably(const std::string& path, std::string_view bytes) {
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

}  // namespace throng
