#include "core/clocks/system_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAttribute = std::size_t{64} << 10;

class FileDescriptor {
public:
    FileDescriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK)) {}
    ~FileDescriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    [[nodiscard]] bool ok() const { return fd_ >= 0; }
    [[nodiscard]] int get() const { return fd_; }

private:
    int fd_;
};

WriteOutcome failed_write(int error) {
    WriteStatus status = WriteStatus::rejected;
    if (error == ENOENT || error == ENOTDIR || error == ENODEV) status = WriteStatus::missing;
    if (error == EACCES || error == EPERM || error == EROFS) status = WriteStatus::denied;
    return {status, std::generic_category().message(error)};
}

class PrefixedFiles final : public SystemFiles {
public:
    explicit PrefixedFiles(const fs::path& prefix) {
        if (!prefix.empty()) prefix_ = fs::weakly_canonical(prefix);
    }

    std::optional<std::string> read(const std::string& path) const override {
        const FileDescriptor file(real(path), O_RDONLY);
        if (!file.ok()) return std::nullopt;
        std::string text(4096, '\0');  // one page: the maximum size of a sysfs attribute
        std::size_t used = 0;
        while (true) {
            if (used == text.size()) {
                if (used >= kMaxAttribute) break;
                text.resize(std::min(2 * used, kMaxAttribute));
            }
            const ssize_t n = ::read(file.get(), text.data() + used, text.size() - used);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return std::nullopt;  // some attributes cannot be read while their device is suspended
            if (n == 0) break;
            used += static_cast<std::size_t>(n);
        }
        // Truncated: drop the last word, because a truncated number would be a different number.
        if (used == kMaxAttribute) used = text.find_last_of(" \t\n") + 1;
        text.resize(used);
        while (!text.empty() && (text.back() == '\0' || std::isspace(static_cast<unsigned char>(text.back())) != 0)) {
            text.pop_back();
        }
        return text;
    }

    WriteOutcome write(const std::string& path, const std::string& value) override {
        const FileDescriptor file(real(path), O_WRONLY | O_TRUNC);
        if (!file.ok()) return failed_write(errno);
        // An attribute must be written in one write call.
        const ssize_t n = ::write(file.get(), value.data(), value.size());
        if (n < 0) return failed_write(errno);
        if (static_cast<std::size_t>(n) != value.size())
            return {WriteStatus::rejected, "the value was written only in part"};
        return {};
    }

    bool exists(const std::string& path) const override {
        std::error_code ignored;
        return fs::exists(real(path), ignored);
    }

    std::vector<std::string> list(const std::string& folder) const override {
        std::vector<std::string> names;
        std::error_code error;
        for (fs::directory_iterator it(real(folder), error), end; !error && it != end; it.increment(error)) {
            names.push_back(it->path().filename().string());
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    std::string resolve(const std::string& path) const override {
        std::error_code error;
        const fs::path found = fs::canonical(real(path), error);
        if (error) return path;
        if (prefix_.empty()) return found.string();
        const fs::path inside = found.lexically_relative(prefix_);
        // Do not follow a link out of the prefix: its target would be a file of this machine.
        if (inside.empty() || *inside.begin() == "..") return path;
        return (fs::path("/") / inside).string();
    }

private:
    [[nodiscard]] fs::path real(const std::string& path) const {
        return prefix_.empty() ? fs::path(path) : prefix_ / fs::path(path).relative_path();
    }

    fs::path prefix_;
};

}  // namespace

std::vector<std::string> SystemFiles::read_words(const std::string& path) const {
    std::vector<std::string> words;
    const std::optional<std::string> text = read(path);
    if (!text) return words;
    std::size_t at = 0;
    constexpr const char* kSpace = " \t\r\n\v\f";
    while ((at = text->find_first_not_of(kSpace, at)) != std::string::npos) {
        const std::size_t end = std::min(text->find_first_of(kSpace, at), text->size());
        words.push_back(text->substr(at, end - at));
        at = end;
    }
    return words;
}

std::vector<std::int64_t> SystemFiles::read_numbers(const std::string& path) const {
    std::vector<std::int64_t> numbers;
    for (const std::string& word : read_words(path)) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error == std::errc() && end == word.data() + word.size()) numbers.push_back(value);
    }
    return numbers;
}

std::optional<std::int64_t> SystemFiles::read_number(const std::string& path) const {
    const std::vector<std::string> words = read_words(path);
    const std::vector<std::int64_t> numbers = read_numbers(path);
    if (words.size() != 1 || numbers.size() != 1) return std::nullopt;
    return numbers.front();
}

std::shared_ptr<SystemFiles> make_system_files(const std::filesystem::path& prefix) {
    return std::make_shared<PrefixedFiles>(prefix);
}

}  // namespace throng
