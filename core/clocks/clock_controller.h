// The clocks of this machine: lists and applies profiles, reads the current clocks, and restores the original ones.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clocks/board.h"
#include "core/clocks/board_clock.h"
#include "core/clocks/clock_state.h"
#include "core/clocks/cpu_clock.h"
#include "core/clocks/profile.h"

namespace throng {

struct ClockOptions {
    std::filesystem::path root;  // prefix of every system path; empty: this machine
    std::vector<ClockProfile> profiles = default_profiles();
    int device = 0;     // number of the NVML device
    bool keep = false;  // changes persist after this object's end (`throng clocks set`)
};

// A profile and its values on this board.
struct ResolvedProfile {
    ClockProfile profile;
    std::optional<Hertz> gpu_min;  // absent if automatic or unavailable
    std::optional<Hertz> gpu_max;
    bool available = false;
    Message reason;  // why it is unavailable
};

struct ClockReading {
    BoardClockReading gpu;
    CpuClockReading cpu;
    BoardClockReading memory;
    std::string applied;              // id of the profile that this object applied; empty: none
    std::optional<Hertz> requested;   // maximum GPU clock of that profile
    bool changed_by_another = false;  // the current range is not the applied one
};

// Thread-safe. The destructor restores the original clocks, unless `keep` is set.
class ClockController {
public:
    // First restores clocks that a terminated program left changed.
    explicit ClockController(ClockOptions options = {});
    // Uses the caller's files and GPU clock, for tests.
    ClockController(ClockOptions options, std::shared_ptr<SystemFiles> files, std::unique_ptr<BoardClock> gpu);
    ~ClockController();
    ClockController(const ClockController&) = delete;
    ClockController& operator=(const ClockController&) = delete;

    [[nodiscard]] const Board& board() const { return board_; }
    [[nodiscard]] std::string kind() const { return gpu_->kind(); }
    [[nodiscard]] std::string location() const;
    [[nodiscard]] std::vector<Hertz> steps() const;
    [[nodiscard]] std::vector<ResolvedProfile> profiles() const;
    // One line about clocks that an earlier run left changed, restored or not; empty if there were none.
    [[nodiscard]] const std::string& recovered() const { return recovered_; }

    // Writes the state file, then the clocks. Restores the original clocks if the first change fails. Throws
    // Error(usage) for an unknown id.
    ApplyResult apply(const std::string& id);
    [[nodiscard]] ClockReading measure() const;
    // Restores the clocks from before the first change, also one by another process. Returns applied if there is
    // nothing to restore.
    ApplyResult restore();

private:
    void recover();
    ApplyResult restore_locked(const ClockState& state);
    ApplyResult apply_targets(const ClockProfile& profile);
    [[nodiscard]] ResolvedProfile resolve_profile(const ClockProfile& profile, const std::vector<Hertz>& steps) const;

    const ClockOptions options_;
    std::shared_ptr<SystemFiles> files_;
    Board board_;
    std::unique_ptr<BoardClock> gpu_;
    CpuClock cpu_;
    std::unique_ptr<BoardClock> memory_;
    ClockStateFile state_file_;
    std::string recovered_;

    mutable std::mutex mutex_;
    std::optional<ClockState> found_;  // set from the first change to its restoration
    std::string applied_;
    std::optional<std::pair<Hertz, Hertz>> applied_range_;
};

}  // namespace throng
