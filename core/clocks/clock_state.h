// The clock settings from before the first change, in a file that is written before that change. If the program that
// changed them cannot restore them, the next start or `throng clocks restore` does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "core/clocks/board_clock.h"

namespace throng {

struct ClockState {
    int owner = 0;            // id of the process that holds the clocks; 0: persistent change, until a restore
    std::string owner_start;  // its start time as the kernel reports it, since process ids are reused
    std::string gpu_kind;     // BoardClock::kind
    SavedClock gpu;
    SavedClock cpu;
    std::string cpu_cluster;
    std::string memory_kind = {};  // BoardClock::kind; empty: the memory clock has not been changed
    SavedClock memory = {};
};

class ClockStateFile {
public:
    // prefix: as for make_system_files. If empty, the file is in $XDG_RUNTIME_DIR/throng, for root in /run/throng,
    // otherwise in a folder in /tmp.
    explicit ClockStateFile(const std::filesystem::path& prefix);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    // Returns nothing if the file is missing or invalid, or if its folder in /tmp is another user's. An invalid file is
    // renamed, with a warning in the log.
    [[nodiscard]] std::optional<ClockState> read() const;
    // Atomic. Throws Error(input) if the file cannot be written, or if its folder in /tmp is another user's; then no
    // clock may be changed.
    void write(const ClockState& state) const;
    void remove() const;

    // Inter-process lock, held while reading this file and changing the clocks. The kernel releases it when the process
    // ends.
    class Lock {
    public:
        Lock() = default;
        explicit Lock(int fd) : fd_(fd) {}
        ~Lock();
        Lock(Lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
        Lock& operator=(Lock&&) = delete;
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;

    private:
        int fd_ = -1;
    };
    // Waits for other processes, whose changes take milliseconds. Returns an empty lock if the lock file cannot be
    // created.
    [[nodiscard]] Lock lock() const;

private:
    std::filesystem::path path_;
};

// Returns the start time of a process, or "" if there is no process with this id.
[[nodiscard]] std::string process_start(int process);

// Returns true while the process that wrote the state is running.
[[nodiscard]] bool owner_alive(const ClockState& state);

}  // namespace throng
