// Reading and writing the kernel's attribute files (sysfs, debugfs, procfs) below a prefix, with every failure a value.
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
    denied,    // EACCES, EPERM, EROFS: needs a privilege, or is read-only
    rejected,  // the kernel rejected the value (EINVAL, ERANGE, EBUSY …)
};

struct WriteOutcome {
    WriteStatus status = WriteStatus::written;
    std::string reason;  // the system's own words; empty when written

    [[nodiscard]] bool ok() const noexcept { return status == WriteStatus::written; }
};

// Paths are absolute as the running system names them ("/sys/class/devfreq/…"); an implementation adds its own prefix.
class SystemFiles {
public:
    SystemFiles() = default;
    SystemFiles(const SystemFiles&) = delete;
    SystemFiles& operator=(const SystemFiles&) = delete;
    virtual ~SystemFiles() = default;

    // The first 64 KiB (to the last white space, where there is more) without trailing white space and NULs; nothing
    // when the file is missing or cannot be read.
    [[nodiscard]] virtual std::optional<std::string> read(const std::string& path) const = 0;
    [[nodiscard]] virtual WriteOutcome write(const std::string& path, const std::string& value) = 0;
    [[nodiscard]] virtual bool exists(const std::string& path) const = 0;
    // Names in a folder, sorted; empty when there is none.
    [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder) const = 0;
    // The path with links resolved, still without the prefix; the path itself where that fails.
    [[nodiscard]] virtual std::string resolve(const std::string& path) const = 0;

    // A whole number in the file; nothing when it holds anything else.
    [[nodiscard]] std::optional<std::int64_t> read_number(const std::string& path) const;
    // The whole numbers in the file, separated by white space; anything else among them is skipped.
    [[nodiscard]] std::vector<std::int64_t> read_numbers(const std::string& path) const;
    [[nodiscard]] std::vector<std::string> read_words(const std::string& path) const;
};

// The files of this machine below `prefix` ("" for the machine itself; a folder for tests and dry runs).
[[nodiscard]] std::shared_ptr<SystemFiles> make_system_files(const std::filesystem::path& prefix = {});

}  // namespace throng
