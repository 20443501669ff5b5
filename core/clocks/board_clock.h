// Interface for reading and limiting one clock of a board, that of the GPU or of the memory. Each family of boards has
// its own implementation.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/clocks/nvml.h"
#include "core/clocks/system_files.h"

namespace throng {

using Hertz = std::int64_t;

// Returns nothing for a number that is no frequency.
[[nodiscard]] inline std::optional<Hertz> hertz_of_kilohertz(std::int64_t khz) {
    if (khz < 0 || khz > std::numeric_limits<Hertz>::max() / 1000) return std::nullopt;
    return khz * 1000;
}

enum class ApplyStatus : std::uint8_t {
    applied,          // read back and verified
    unsupported,      // this machine has no such control
    needs_privilege,  // the user lacks the permission for a file or a library call
    rejected,         // the board rejected the value, or another limit or program holds the clock
};

struct ApplyResult {
    ApplyStatus status = ApplyStatus::applied;
    std::string where;  // the file or call that failed; empty if applied
    Message reason;     // the system's message; if applied: a remark, such as a rounded value
    Message advice;     // the command that grants the permission, or what to do; may be empty

    [[nodiscard]] bool ok() const noexcept { return status == ApplyStatus::applied; }
};

struct BoardClockReading {
    std::optional<Hertz> current;
    std::optional<Hertz> min;  // of the permitted range
    std::optional<Hertz> max;
    std::string governor;        // empty if there is none
    std::optional<double> load;  // of the GPU, 0 to 1
};

// The settings from before the first change, sufficient to restore them, also by another process after a crash.
using SavedClock = std::map<std::string, std::string>;

class BoardClock {
public:
    BoardClock() = default;
    BoardClock(const BoardClock&) = delete;
    BoardClock& operator=(const BoardClock&) = delete;
    virtual ~BoardClock() = default;

    [[nodiscard]] virtual std::string kind() const = 0;      // "devfreq", "tegra124", "nvml", "bpmp", "none" …
    [[nodiscard]] virtual std::string location() const = 0;  // the device node or library; empty if there is none
    // Ascending. Empty if the GPU has not been powered yet or its steps are unknown.
    [[nodiscard]] virtual std::vector<Hertz> steps() const = 0;
    [[nodiscard]] virtual BoardClockReading read() const = 0;

    // Limits the clock to [min, max]; min == max pins it. Both must be steps. Verifies the range by reading it back.
    virtual ApplyResult set_range(Hertz min, Hertz max) = 0;
    // Returns control to the board's governor over the whole range.
    virtual ApplyResult set_automatic() = 0;

    [[nodiscard]] virtual SavedClock save() const = 0;
    virtual ApplyResult restore(const SavedClock& saved) = 0;
};

// Converts the outcome of a write into a result with the file, the reason and the advice.
[[nodiscard]] ApplyResult rejected(const std::string& path, const WriteOutcome& outcome);

// Returns the clock of this machine's GPU: T124's debugfs, devfreq, NVML (nvml may be null), or none. A devfreq node
// that appears later is found then.
[[nodiscard]] std::unique_ptr<BoardClock> find_gpu_clock(const std::shared_ptr<SystemFiles>& files,
                                                         const std::shared_ptr<Nvml>& nvml);

}  // namespace throng
