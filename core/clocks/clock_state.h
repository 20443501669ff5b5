// What was in force before the first change of a clock, in a file that is written before that change: so that the next
// start, or `throng clocks restore`, brings it back when the program that changed it could not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "core/clocks/gpu_clock.h"

namespace throng {

struct ClockState {
    int owner = 0;            // process that holds the clocks; 0: changed for good, until somebody restores
    std::string owner_start;  // its start time in the kernel's words: a number of a process may be used again
    std::string gpu_kind;     // GpuClock::kind
    SavedClock gpu;
    SavedClock cpu;
    std::string cpu_cluster;
};

class ClockStateFile {
public:
    // prefix as for make_system_files; without one: $XDG_RUNTIME_DIR/throng, else /run/throng, else a folder in /tmp.
    explicit ClockStateFile(const std::filesystem::path& prefix);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    // Nothing when there is no file or it is broken (a broken one is set aside with a warning in the log).
    [[nodiscard]] std::optional<ClockState> read() const;
    // Whole or not at all. Throws Error(input) when it cannot be written: then no clock may be changed.
    void write(const ClockState& state) const;
    void remove() const;

    // While it lives no other program is between reading this file and changing the clocks. Ends with the process.
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
    // Waits for others, whose changes take milliseconds. Where no such file can be made, an empty lock.
    [[nodiscard]] Lock lock() const;

private:
    std::filesystem::path path_;
};

// Start time of a process, or "" when there is none with this number.
[[nodiscard]] std::string process_start(int process);

// True while the process that wrote the state still runs.
[[nodiscard]] bool owner_alive(const ClockState& state);

}  // namespace throng
