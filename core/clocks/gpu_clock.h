// One way of reading and bounding a GPU's clock. Each family of boards has its own behind this interface.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clocks/nvml.h"
#include "core/clocks/system_files.h"

namespace throng {

using Hertz = std::int64_t;

enum class ApplyStatus : std::uint8_t {
    applied,          // read back and found in force
    unsupported,      // this machine has no such control
    needs_privilege,  // a file or library call rejected this user
    rejected,         // the board rejected the value, or something else holds the clock
};

struct ApplyResult {
    ApplyStatus status = ApplyStatus::applied;
    std::string where;   // the file or call that rejected; empty when applied
    std::string reason;  // the system's words; for applied: a remark, such as a rounded value
    std::string advice;  // the command that grants it, or what to do; may be empty

    [[nodiscard]] bool ok() const noexcept { return status == ApplyStatus::applied; }
};

struct GpuClockReading {
    std::optional<Hertz> current;
    std::optional<Hertz> min;  // of the range that the clock may move in
    std::optional<Hertz> max;
    std::string governor;        // empty where there is none
    std::optional<double> load;  // 0 to 1
};

// What was in force before the first change: enough to bring it back, also by another process after a crash.
using SavedClock = std::map<std::string, std::string>;

class GpuClock {
public:
    GpuClock() = default;
    GpuClock(const GpuClock&) = delete;
    GpuClock& operator=(const GpuClock&) = delete;
    virtual ~GpuClock() = default;

    [[nodiscard]] virtual std::string kind() const = 0;      // "devfreq", "tegra124", "nvml", "none"
    [[nodiscard]] virtual std::string location() const = 0;  // the node or library; empty where there is none
    // Ascending; empty while the GPU has not been powered or nothing is known.
    [[nodiscard]] virtual std::vector<Hertz> steps() const = 0;
    [[nodiscard]] virtual GpuClockReading read() const = 0;

    // Bounds the clock to [min, max]; min == max pins it. Both must be steps. Reads back what was set.
    virtual ApplyResult set_range(Hertz min, Hertz max) = 0;
    // The board's own governor over its whole range.
    virtual ApplyResult set_automatic() = 0;

    [[nodiscard]] virtual SavedClock save() const = 0;
    virtual ApplyResult restore(const SavedClock& saved) = 0;
};

// Turns the outcome of a write into a result that says which file rejected and what grants it.
[[nodiscard]] ApplyResult rejected(const std::string& path, const WriteOutcome& outcome);

// The clock of this machine's GPU: T124's debugfs, devfreq, NVML (null: not there), or none. A node that appears later
// is found then.
[[nodiscard]] std::unique_ptr<GpuClock> find_gpu_clock(const std::shared_ptr<SystemFiles>& files,
                                                       const std::shared_ptr<Nvml>& nvml);

}  // namespace throng
