// Reads files so that a stop request ends every wait: for the writer of a pipe, a silent terminal, a large file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace throng {

// An open file, pipe or device. Not thread-safe.
class InputFile {
public:
    // Opens a file. Does not wait for the writer of a pipe.
    explicit InputFile(const std::string& path);
    // Reads standard input.
    InputFile() noexcept;
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // Returns the errno of opening or reading that failed; 0 if none did.
    [[nodiscard]] int error() const noexcept { return error_; }
    // Returns false while a pipe with a name has had no writer.
    [[nodiscard]] bool had_writer() const noexcept { return had_writer_; }

    // Returns the number of bytes read: 0 at the end of the file and after a failure. Nothing if no byte came within
    // 50 ms.
    [[nodiscard]] std::optional<std::size_t> read(void* to, std::size_t size);

private:
    [[nodiscard]] bool wait();

    int file_;
    bool is_own_;  // opened here, so that reading does not block
    int error_ = 0;
    bool had_writer_ = true;
};

struct ReadOptions {
    std::stop_token stop{};
    std::string_view what{};  // for messages: "configuration"
    std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
    bool takes_dash = false;  // "-" is standard input
};

// Calls `use` with the bytes of a file, block by block. Throws Error(input) if the file cannot be read or is larger than
// max_bytes, and Error(interrupted) after a stop request.
void read_blocks(const std::filesystem::path& path, const ReadOptions& options,
                 const std::function<void(std::string_view)>& use);

// Returns all bytes of a file. Throws as read_blocks does.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace throng
