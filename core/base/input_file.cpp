#include "core/base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace throng {
namespace {

constexpr int kReadPollMs = 50;  // interval at which stop requests are polled
constexpr std::size_t kReadBlock = 1 << 17;

// Throws Error(input) for a device that may have no end, such as /dev/zero. Terminals and /dev/null have one.
void reject_device(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0 || !S_ISCHR(about.st_mode)) return;
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool is_terminal = file >= 0 && ::isatty(file) != 0;
    if (file >= 0) ::close(file);
    std::error_code unknown;
    if (is_terminal || std::filesystem::equivalent(path, "/dev/null", unknown)) return;
    throw Error(ErrorKind::input, "is a device", path, "name a file");
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)), is_own_(true) {
    if (file_ < 0) {
        error_ = errno;
        return;
    }
    struct stat about {};
    struct statfs system {};
    const bool is_pipe = ::fstat(file_, &about) == 0 && S_ISFIFO(about.st_mode);
    // An unnamed pipe already has its writer, or never will.
    const bool has_name = ::fstatfs(file_, &system) == 0 && system.f_type != PIPEFS_MAGIC;
    had_writer_ = !is_pipe || !has_name;
}

InputFile::InputFile() noexcept : file_(STDIN_FILENO), is_own_(false) {}

InputFile::~InputFile() {
    if (is_own_ && file_ >= 0) ::close(file_);
}

// Returns whether there is something to read, or the end.
bool InputFile::wait() {
    pollfd requested{file_, POLLIN, 0};
    if (::poll(&requested, 1, kReadPollMs) <= 0) return false;
    if ((requested.revents & POLLHUP) != 0) had_writer_ = true;
    return true;
}

std::optional<std::size_t> InputFile::read(void* to, std::size_t size) {
    if (error_ != 0) return 0;
    if (!is_own_ && !wait()) return std::nullopt;  // a descriptor of the caller may block
    const ssize_t count = ::read(file_, to, size);
    const bool nothing_yet = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (count < 0 && !nothing_yet) {
        error_ = errno;
        return 0;
    }
    if (count > 0 || nothing_yet) had_writer_ = true;
    if (!nothing_yet && had_writer_) return static_cast<std::size_t>(count);
    static_cast<void>(wait());
    return std::nullopt;
}

void read_blocks(const std::filesystem::path& path, const ReadOptions& options,
                 const std::function<void(std::string_view)>& use) {
    const bool standard = options.takes_dash && path == "-";
    const std::string shown = standard ? "standard input" : path.string();
    if (!standard) reject_device(shown);
    std::optional<InputFile> opened;
    InputFile& file = standard ? opened.emplace() : opened.emplace(path.string());
    std::vector<char> block(kReadBlock);
    std::uint64_t total = 0;
    const std::string what(options.what);
    for (;;) {
        if (options.stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while reading", shown);
        const std::optional<std::size_t> count = file.read(block.data(), block.size());
        if (file.error() != 0) {
            const Message why = std::generic_category().message(file.error()).c_str();
            const bool denied = file.error() == EACCES || file.error() == EPERM;
            throw Error(ErrorKind::input,
                        what.empty() ? Message("cannot be read: %1", why)
                                     : Message("cannot read the %1: %2", what.c_str(), why),
                        shown, denied ? "check the file's permissions" : "check the path");
        }
        if (!count) continue;
        if (*count == 0) return;
        total += *count;
        if (total > options.max_bytes) {
            throw Error(ErrorKind::input,
                        {"is too large for a %1: more than %2 bytes", what.empty() ? "file of its kind" : what.c_str(),
                         options.max_bytes},
                        shown);
        }
        use({block.data(), *count});
    }
}

std::string read_file(const std::filesystem::path& path, const ReadOptions& options) {
    std::string text;
    read_blocks(path, options, [&text](std::string_view bytes) { text += bytes; });
    return text;
}

std::ifstream open_input(const std::string& path) {
    struct stat status {};
    std::ifstream stream(path, std::ios::binary);
    int code = stream ? 0 : errno;
    if (code == 0 && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) code = EISDIR;
    if (code == 0) reject_device(path);
    if (code == 0) return stream;
    throw Error(ErrorKind::input, {"cannot be read: %1", std::generic_category().message(code).c_str()}, path,
                code == EISDIR ? "name a file" : "check the path");
}

std::optional<FileState> state_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileState{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

InputFiles::InputFiles(std::vector<std::string> files) : files_(std::move(files)) {
    for (const std::string& file : files_) states_.push_back(state_of(file));
}

std::uint64_t InputFiles::size() const {
    return states_.front() ? static_cast<std::uint64_t>(states_.front()->size) : 0;
}

std::string InputFiles::sha256(const std::stop_token& stop,
                               const std::function<std::string(const std::string&)>& hash_of) const {
    for (const std::string& file : files_) {
        std::error_code unknown;
        const std::filesystem::file_status status = std::filesystem::status(file, unknown);
        // Reading a pipe takes its bytes, and a device may have no end.
        if (!exists(status) || is_regular_file(status) || is_directory(status)) continue;
        const bool itself = &file == &files_.front();
        throw Error(ErrorKind::input,
                    itself ? Message("is not a regular file") : Message("names a pipe or a device: %1", file), path());
    }
    const auto hash = [&](const std::string& file) { return hash_of ? hash_of(file) : sha256_of(file, stop); };
    std::string hashes = hash(files_.front());
    if (files_.size() == 1) return hashes;
    for (std::size_t i = 1; i < files_.size(); ++i) {
        try {
            hashes += "\n" + hash(files_[i]);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::interrupted) throw;
            hashes += "\nmissing";
        }
    }
    return sha256_of_text(hashes);
}

void InputFiles::check_unchanged() const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (state_of(files_[i]) == states_[i]) continue;
        throw Error(ErrorKind::input, "the file changed while it was read", files_[i], "process it again");
    }
}

}  // namespace throng
