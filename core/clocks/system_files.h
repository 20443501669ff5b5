// Reads and writes the kernel's attribute files (sysfs, debugfs, procfs) below a path prefix. Failures are return
// values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace throng {

enum class WriteStatus : std::uint8_t {
    written,
    missing,   // no such file
    denied,    // EACCES, EPERM, EROFS: missing permission, or read-only
    rejected,  // the kernel rejected the value (EINVAL, ERANGE, EBUSY …)
};

struct WriteOutcome {
    WriteStatus status = WriteStatus::written;
    std::string reason;  // the system's message; empty if written

    [[nodiscard]] bool ok() const noexcept { return status == WriteStatus::written; }
};

// Paths are absolute paths of the running system ("/sys/class/devfreq/…"); an implementation adds its own prefix.
class SystemFiles {
public:
    SystemFiles() = default;
    SystemFiles(const SystemFiles&) = delete;
    SystemFiles& operator=(const SystemFiles&) = delete;
    virtual ~SystemFiles() = default;

    // Returns at most the first 64 KiB, without trailing white space and NULs; a longer file is truncated at its last
    // white space in that range. Returns nothing if the file is missing or cannot be read.
    [[nodiscard]] virtual std::optional<std::string> read(const std::string& path) const = 0;
    [[nodiscard]] virtual WriteOutcome write(const std::string& path, const std::string& value) = 0;
    [[nodiscard]] virtual bool exists(const std::string& path) const = 0;
    // Returns the names in a folder, sorted; empty if there is no such folder.
    [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder) const = 0;
    // Returns the path with links resolved, without the prefix; the path itself if that fails.
    [[nodiscard]] virtual std::string resolve(const std::string& path) const = 0;

    // Returns the integer in the file; nothing if the file has other contents.
    [[nodiscard]] std::optional<std::int64_t> read_number(const std::string& path) const;
    // Returns the integers in the file, separated by white space; other words are skipped.
    [[nodiscard]] std::vector<std::int64_t> read_numbers(const std::string& path) const;
    [[nodiscard]] std::vector<std::string> read_words(const std::string& path) const;
};

// Returns the files below `prefix`: "" for this machine, a folder for tests and dry runs.
[[nodiscard]] std::shared_ptr<SystemFiles> make_system_files(const std::filesystem::path& prefix = {});

}  // namespace throng
