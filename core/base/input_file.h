// Reads files so that a stop request ends every wait: for the writer of a pipe, a silent terminal, a large file. Hashes
// the files that one input consists of, and finds whether they changed while they were read.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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

// Calls `use` with the bytes of a file, block by block. Throws Error(input) if the file cannot be read, is larger than
// max_bytes, or is a device, which may have no end; Error(interrupted) after a stop request.
void read_blocks(const std::filesystem::path& path, const ReadOptions& options,
                 const std::function<void(std::string_view)>& use);

// Returns all bytes of a file. Throws as read_blocks does.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, const ReadOptions& options = {});

// Opens a file that is read line by line. Throws Error(input) if it cannot be read, as a folder cannot: reading one
// throws exceptions of the C++ library. Nor can a device, which may have no end.
[[nodiscard]] std::ifstream open_input(const std::string& path);

// Identifies a version of a file: any write changes it. Compared for equality only.
struct FileState {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t modified_s = 0;
    std::int64_t modified_ns = 0;
    friend bool operator==(const FileState&, const FileState&) = default;
};

// Returns nothing if there is no such file.
[[nodiscard]] std::optional<FileState> state_of(const std::string& path);

// An input that is read several times. Files are compared with what they were when the object was made.
class InputFiles {
public:
    // files: not empty; the input itself, then the files that it names, such as the segments of a playlist.
    explicit InputFiles(std::vector<std::string> files);

    [[nodiscard]] const std::string& path() const { return files_.front(); }  // of the input itself
    [[nodiscard]] const std::vector<std::string>& paths() const { return files_; }
    // Returns the size of the input itself; 0 if it did not exist.
    [[nodiscard]] std::uint64_t size() const;

    // Returns the SHA-256 of the file; of an input of several files, that of a list of their hashes, in which a missing
    // file counts as such. hash_of: of one file; default: sha256_of. Throws Error(input) if the input itself cannot be
    // read, or one that it names is a pipe or a device, and Error(interrupted) after a stop request.
    [[nodiscard]] std::string sha256(const std::stop_token& stop = {},
                                     const std::function<std::string(const std::string&)>& hash_of = {}) const;

    // Throws Error(input) if one of the files is another one by now, or was written.
    void check_unchanged() const;

private:
    std::vector<std::string> files_;
    std::vector<std::optional<FileState>> states_;
};

}  // namespace throng
