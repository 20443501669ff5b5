// Output files: opened as late as possible and locked. A failed write leaves no partial data in a regular file.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace throng {

// A disk, a folder or a reader fails, whatever is written there.
class DiskError final : public Error {
public:
    using Error::Error;
};

// A file, pipe or device that is written from its start. Nothing is created, truncated or locked before the first
// write, so a run that fails early does not change an existing file. Not thread-safe.
class OutputFile {
public:
    // path: "-" is standard output. Throws Error(input) as check_output_path does.
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // Writes all bytes. The first call opens the file: creates or truncates it, and locks it against other programs.
    // Waits for the reader of a pipe until stop is requested; then throws Error(interrupted). Throws Error(input) if
    // the file cannot be created, is locked by another program, or cannot be written; a regular file is then truncated
    // to its size before this call. If that fails, and in a pipe or device, every later call throws the same error.
    void write(std::string_view bytes, const std::stop_token& stop = {});

    // Moves the position for the next write, as lseek does. Returns the new position, negative if the output cannot
    // seek or is not open.
    std::int64_t seek(std::int64_t offset, int whence);

    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    // Idempotent. Throws Error(input) if the last data could not be written.
    void close();

private:
    void open(const std::stop_token& stop);
    [[nodiscard]] bool wait_until_writable(const std::stop_token& stop) const;

    std::string path_;
    int file_ = -1;
    bool is_regular_ = false;
    std::int64_t position_ = 0;     // of a regular file
    std::int64_t size_ = 0;         // of a regular file
    std::optional<Error> failure_;  // after which nothing can be written
};

// Collects small pieces of text and writes them to a file in blocks. The file must outlive it.
class BlockWriter {
public:
    explicit BlockWriter(OutputFile& file) : file_(file) {}

    // Both throw as OutputFile::write does.
    void write(std::string_view text, const std::stop_token& stop = {});
    void flush(const std::stop_token& stop = {});  // what was collected; to be called at the end

private:
    OutputFile& file_;
    std::string block_;
};

// Throws Error(input) if `path` cannot be an output: its folder is missing or read-only, it is a folder, or it exists
// and is not writable. Changes no file. "-" is standard output and always valid.
void check_output_path(const std::string& path);

// Does the same for an output folder, which is created with its parents if it is missing.
void check_output_folder(const std::string& path);

// Returns the error of a failed system call on an output, with advice for the usual causes. code: errno.
[[nodiscard]] DiskError system_error(const Message& what, const std::string& path, int code);

// Returns the file to which `path` resolves: the target of a symbolic link, which need not exist, or `path` itself.
[[nodiscard]] std::string link_target(const std::string& path);

// Writes a file atomically: under a temporary name in the same folder, then renamed. If it fails, an existing file is
// unchanged. Pipes, devices and "-" (standard output) are written directly. Throws as OutputFile does.
void write_file(const std::string& path, std::string_view bytes, const std::stop_token& stop = {});

}  // namespace throng
