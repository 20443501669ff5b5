// A file that appears under its name only when it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace throng {

// Written without a name in the target folder (O_TMPFILE), so that nothing remains of a process that is killed; without
// such files in the file system, or without /proc, under the hidden name .throng-PID-N. Not thread-safe.
class AtomicFile {
public:
    // Creates the unnamed file. path: a regular file or a name that does not exist yet; a link is followed. durable: commit
    // waits until file and name are on the disk. Throws Error(input) as check_output_path does, and if the folder accepts
    // no new file.
    explicit AtomicFile(std::string path, bool durable = true);
    ~AtomicFile();  // discards what was not committed
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    // Throws Error(input), for example for a full disk.
    void write(std::string_view bytes);
    // Moves the position for the next write, as lseek does. Returns the new position, negative after an error.
    std::int64_t seek(std::int64_t offset, int whence);
    // Returns a path under which another function can open the file again, until commit.
    [[nodiscard]] std::string open_path() const;

    // Gives the file its name, replacing a file of that name. Throws Error(input);
    // the earlier file is unchanged then.
    void commit();

private:
    [[nodiscard]] std::string temporary_name() const;
    void fail(const std::string& what, int code) const;

    std::string path_;
    std::string target_;     // path_ with links resolved
    std::string folder_;     // of the target
    std::string temporary_;  // the current hidden name; empty: none
    const bool durable_;
    int file_ = -1;
};

// Replaces a whole file, which is on the disk when the call returns. Throws Error(input) as AtomicFile does.
void write_durably(const std::string& path, std::string_view bytes);

}  // namespace throng
