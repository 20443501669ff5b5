// The clocks of this machine: which profiles there are, setting one, reading what is in force, and bringing back what
// was found.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clocks/board.h"
#include "core/clocks/clock_state.h"
#include "core/clocks/cpu_clock.h"
#include "core/clocks/gpu_clock.h"
#include "core/clocks/profile.h"

namespace throng {

struct ClockOptions {
    std::filesystem::path root;  // prefix before every system path; empty: this machine
    std::vector<ClockProfile> profiles = default_profiles();
    int device = 0;     // number of the NVML device
    bool keep = false;  // a change outlives this object (`throng clocks set`)
};

// A profile beside what it means on this board.
struct ResolvedProfile {
    ClockProfile profile;
    std::optional<Hertz> gpu_min;  // absent for automatic, and where it cannot be had
    std::optional<Hertz> gpu_max;
    bool available = false;
    std::string reason;  // why not
};

struct ClockReading {
    GpuClockReading gpu;
    CpuClockReading cpu;
    std::string applied;              // id of the profile we set; empty: none
    std::optional<Hertz> requested;   // highest GPU clock that it asks for
    bool changed_by_another = false;  // the range in force is not the one we set
};

// Thread-safe. The destructor restores what was found, unless `keep`.
class ClockController {
public:
    // Restores first what a dead program left behind.
    explicit ClockController(ClockOptions options = {});
    // The same on files of the caller's (tests).
    ClockController(ClockOptions options, std::shared_ptr<SystemFiles> files, std::unique_ptr<GpuClock> gpu);
    ~ClockController();
    ClockController(const ClockController&) = delete;
    ClockController& operator=(const ClockController&) = delete;

    [[nodiscard]] const Board& board() const { return board_; }
    [[nodiscard]] std::string kind() const { return gpu_->kind(); }
    [[nodiscard]] std::string location() const;
    [[nodiscard]] std::vector<Hertz> steps() const;
    [[nodiscard]] std::vector<ResolvedProfile> profiles() const;
    // One line about what a previous program had left behind and was restored; empty when nothing was.
    [[nodiscard]] const std::string& recovered() const { return recovered_; }

    // Writes the state file, then the clocks; on a failure nothing stays half changed. Unknown ids: Error(usage).
    ApplyResult apply(const std::string& id);
    [[nodiscard]] ClockReading measure() const;
    // Brings back what was found before the first change, by whomever; applied when there is nothing to do.
    ApplyResult restore();

private:
    void recover();
    ApplyResult restore_locked(const ClockState& state);
    ApplyResult apply_targets(const ClockProfile& profile);
    [[nodiscard]] ResolvedProfile resolve_profile(const ClockProfile& profile, const std::vector<Hertz>& steps) const;

    const ClockOptions options_;
    std::shared_ptr<SystemFiles> files_;
    Board board_;
    std::unique_ptr<GpuClock> gpu_;
    CpuClock cpu_;
    ClockStateFile state_file_;
    std::string recovered_;

    mutable std::mutex mutex_;
    std::optional<ClockState> found_;  // set from the first change to its restoration
    std::string applied_;
    std::optional<std::pair<Hertz, Hertz>> applied_range_;
};

}  // namespace throng
