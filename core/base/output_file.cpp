#include "core/base/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/file_lock.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 50;  // interval for polling the stop token
constexpr mode_t kNewFileMode = 0666;

std::string folder_of(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

}  // namespace

DiskError system_error(const Message& what, const std::string& path, int code) {
    const Message problem("%1: %2", what, std::generic_category().message(code).c_str());
    if (path == "-") return {ErrorKind::input, problem, "standard output"};
    Message advice;
    if (code == ENOSPC || code == EDQUOT) advice = "the disk is full";
    if (code == EFBIG) advice = "the file size limit is reached";
    if (code == EACCES || code == EROFS || code == EPERM) advice = "check the folder and its permissions";
    if (code == ENOENT) advice = "check the folder";
    return {ErrorKind::input, problem, path, advice};
}

std::string link_target(const std::string& path) {
    constexpr int kMaxLinks = 40;  // the limit of Linux
    fs::path target(path);
    std::error_code failure;
    for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(target, failure)); ++i) {
        const fs::path next = fs::read_symlink(target, failure);
        if (failure) break;
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target.string();
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    check_output_path(path_);
}

OutputFile::~OutputFile() {
    if (file_ >= 0) ::close(file_);
}

void OutputFile::open(const std::stop_token& stop) {
    if (path_ == "-") {
        file_ = ::dup(STDOUT_FILENO);
    } else {
        // O_NONBLOCK: opening a pipe without a reader fails with ENXIO at once.
        const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
        while ((file_ = ::open(path_.c_str(), flags, kNewFileMode)) < 0 && (errno == ENXIO || errno == EINTR)) {
            if (stop.stop_requested()) {
                throw Error(ErrorKind::interrupted, "stopped while waiting for a reader of the pipe", path_);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
        }
    }
    if (file_ < 0) throw system_error("cannot create the file", path_, errno);
    struct stat status {};
    is_regular_ = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode) && path_ != "-";
    if (!is_regular_) return;
    // On file systems without locks the file is written unlocked.
    if (try_lock(file_) == FileLock::elsewhere) {
        ::close(std::exchange(file_, -1));
        throw Error(ErrorKind::input, "another program is writing this file", path_, "choose another file");
    }
    if (::ftruncate(file_, 0) != 0) {
        const int code = errno;
        ::close(std::exchange(file_, -1));  // not to be written over the earlier contents
        throw system_error("cannot truncate the file", path_, code);
    }
}

// Returns false if stop was requested before the output became writable.
bool OutputFile::wait_until_writable(const std::stop_token& stop) const {
    pollfd events{file_, POLLOUT, 0};
    while (::poll(&events, 1, kPollMs) <= 0) {
        if (stop.stop_requested()) return false;
    }
    return true;  // also on an error, which write reports
}

void OutputFile::write(std::string_view bytes, const std::stop_token& stop) {
    if (failure_) throw Error(*failure_);
    if (file_ < 0) open(stop);
    const std::int64_t size_before = size_;
    // A pipe that polls as writable accepts PIPE_BUF bytes without blocking, even if it is shared and blocking.
    const std::size_t at_once = is_regular_ ? bytes.size() : PIPE_BUF;
    while (!bytes.empty()) {
        if (!is_regular_ && !wait_until_writable(stop)) {
            throw Error(ErrorKind::interrupted, "stopped while waiting for the reader",
                        path_ == "-" ? "standard output" : path_);
        }
        const ssize_t written = ::write(file_, bytes.data(), std::min(bytes.size(), at_once));
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            position_ += written;
            size_ = std::max(size_, position_);
        } else if (errno != EINTR && errno != EAGAIN) {
            const int code = errno;
            if (is_regular_ && ::ftruncate(file_, size_before) == 0) {
                size_ = size_before;
                seek(std::min(position_, size_before), SEEK_SET);
            } else {
                failure_ = system_error("cannot write", path_, code);  // what follows would be no part of the whole
            }
            throw system_error("cannot write", path_, code);
        }
    }
}

void BlockWriter::write(std::string_view text, const std::stop_token& stop) {
    constexpr std::size_t kBlock = std::size_t{1} << 16U;  // bytes
    block_ += text;
    if (block_.size() >= kBlock) flush(stop);
}

void BlockWriter::flush(const std::stop_token& stop) {
    file_.write(block_, stop);
    block_.clear();
}

std::int64_t OutputFile::seek(std::int64_t offset, int whence) {
    const off_t position = is_regular_ && file_ >= 0 ? ::lseek(file_, offset, whence) : -1;
    if (position >= 0) position_ = position;
    return position;
}

void OutputFile::close() {
    if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) throw system_error("cannot write", path_, errno);
}

void check_output_path(const std::string& path) {
    if (path == "-") return;
    if (path.empty()) throw Error(ErrorKind::usage, "the name of an output is empty");
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) throw Error(ErrorKind::input, "is a folder", path, "choose a file");
        if (::access(path.c_str(), W_OK) != 0) throw system_error("cannot write the file", path, errno);
        return;
    }
    if (errno != ENOENT) throw system_error("cannot create the file", path, errno);
    const std::string folder = folder_of(link_target(path));
    if (::stat(folder.c_str(), &status) != 0) throw system_error("cannot create the file", path, errno);
    if (!S_ISDIR(status.st_mode)) throw system_error("cannot create the file", path, ENOTDIR);
    if (::access(folder.c_str(), W_OK | X_OK) != 0) throw system_error("cannot create the file", path, errno);
}

void check_output_folder(const std::string& path) {
    if (path.empty()) throw Error(ErrorKind::usage, "the name of an output folder is empty");
    std::error_code failure;
    fs::path folder = fs::absolute(path, failure).lexically_normal();
    while (!fs::exists(folder, failure) && folder != folder.parent_path()) folder = folder.parent_path();
    if (!fs::is_directory(folder, failure)) throw Error(ErrorKind::input, "is not a folder", path, "choose a folder");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) throw system_error("cannot write to the folder", path, errno);
}

namespace {

// Throws Error(input) while another program writes the regular file through an OutputFile.
void check_lock(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    const bool locked = try_lock(file) == FileLock::elsewhere;
    ::close(file);
    if (locked) throw Error(ErrorKind::input, "another program is writing this file", path, "choose another file");
}

}  // namespace

void write_file(const std::string& path, std::string_view bytes, const std::stop_token& stop) {
    check_output_path(path);
    struct stat status {};
    const bool exists = path != "-" && ::stat(path.c_str(), &status) == 0;
    // Not a regular file, or a writable file in a read-only folder.
    if (path == "-" || (exists && !S_ISREG(status.st_mode)) ||
        ::access(folder_of(link_target(path)).c_str(), W_OK | X_OK) != 0) {
        OutputFile output(path);
        output.write(bytes, stop);
        output.close();
        return;
    }
    if (exists) check_lock(path);
    AtomicFile file(path, false);
    file.write(bytes);
    file.commit();
}

}  // namespace throng
