// The files that one input consists of: their content as one hash, and whether they changed while they were read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace throng {

// Opens a file for reading. Throws Error(input) if it cannot be read, as a folder cannot: reading one throws exceptions
// of the C++ library.
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
    // read, and Error(interrupted) after a stop request.
    [[nodiscard]] std::string sha256(const std::stop_token& stop = {},
                                     const std::function<std::string(const std::string&)>& hash_of = {}) const;

    // Throws Error(input) if one of the files is another one by now, or was written.
    void check_unchanged() const;

private:
    std::vector<std::string> files_;
    std::vector<std::optional<FileState>> states_;
};

}  // namespace throng
