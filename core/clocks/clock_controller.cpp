#include "core/clocks/clock_controller.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/clocks/memory_clock.h"
#include "core/clocks/nvml_clock.h"
#include "core/clocks/tegra124_clock.h"

namespace throng {
namespace {

bool is_reachable(const ClockTarget& target, const std::vector<Hertz>& steps) {
    return std::holds_alternative<Automatic>(target) || resolve(target, steps).has_value();
}

// The profile is available: resolve_profile has found the steps of its targets.
ApplyResult set_target(BoardClock& clock, const ClockTarget& target) {
    const auto range = resolve(target, clock.steps());
    return range ? clock.set_range(range->first, range->second) : clock.set_automatic();
}

}  // namespace

ClockController::ClockController(ClockOptions options)
    : options_(std::move(options)),
      files_(make_system_files(options_.root)),
      board_(identify_board(*files_)),
      gpu_(find_gpu_clock(files_, open_nvml(options_.root, options_.device))),
      cpu_(files_),
      memory_(find_memory_clock(files_)),
      state_file_(options_.root) {
    recover();
}

ClockController::ClockController(ClockOptions options, std::shared_ptr<SystemFiles> files,
                                 std::unique_ptr<BoardClock> gpu)
    : options_(std::move(options)),
      files_(std::move(files)),
      board_(identify_board(*files_)),
      gpu_(std::move(gpu)),
      cpu_(files_),
      memory_(find_memory_clock(files_)),
      state_file_(options_.root) {
    recover();
}

ClockController::~ClockController() {
    if (options_.keep || !found_) return;
    try {
        const ApplyResult result = restore();
        if (!result.ok()) logger().warn("cannot restore the clocks: {}: {}", result.where, result.reason.text());
    } catch (const std::exception& error) {
        logger().warn("cannot restore the clocks: {}", error.what());
    }
}

void ClockController::recover() {
    if (!state_file_.read()) return;  // the usual case: creates no lock file and does not wait
    const ClockStateFile::Lock state_lock = state_file_.lock();
    const std::optional<ClockState> state = state_file_.read();
    // A state without an owner is a persistent change; a state whose owner is running is in use.
    if (!state || state->owner == 0 || owner_alive(*state)) return;
    const ApplyResult result = restore_locked(*state);
    recovered_ = result.ok() ? "restored the clocks that an earlier run left changed"
                             : "clocks that an earlier run left changed cannot be restored: " + result.where + ": " +
                                   result.reason.text();
}

std::string ClockController::location() const {
    const std::lock_guard lock(mutex_);
    return gpu_->location();
}

std::vector<Hertz> ClockController::steps() const {
    const std::lock_guard lock(mutex_);
    return gpu_->steps();
}

ResolvedProfile ClockController::resolve_profile(const ClockProfile& profile, const std::vector<Hertz>& steps) const {
    ResolvedProfile resolved;
    resolved.profile = profile;
    if (gpu_->kind() == "none") {
        resolved.reason = "this machine has no GPU clock to control";
    } else if (steps.empty()) {
        resolved.reason = "the GPU's clock steps are not available yet";
    } else if (profile.memory && memory_->steps().empty()) {
        resolved.reason =
            memory_->location().empty() ? "no memory clock found" : "this board lists no steps of this clock";
    } else if (!is_reachable(profile.gpu, steps) ||
               (profile.memory && !is_reachable(*profile.memory, memory_->steps()))) {
        resolved.reason = "not a clock step of this board";
    } else {
        resolved.available = true;
        if (const auto range = resolve(profile.gpu, steps)) std::tie(resolved.gpu_min, resolved.gpu_max) = *range;
    }
    return resolved;
}

std::vector<ResolvedProfile> ClockController::profiles() const {
    const std::lock_guard lock(mutex_);
    const std::vector<Hertz> steps = gpu_->steps();
    std::vector<ResolvedProfile> resolved;
    for (const ClockProfile& profile : options_.profiles) resolved.push_back(resolve_profile(profile, steps));
    return resolved;
}

ApplyResult ClockController::apply_targets(const ClockProfile& profile) {
    ApplyResult result = set_target(*gpu_, profile.gpu);
    if (result.ok() && profile.memory) result = set_target(*memory_, *profile.memory);
    if (result.ok() && !profile.cpu_governor.empty()) result = cpu_.set_governor(profile.cpu_governor);
    if (result.ok() && profile.cpu) {
        const std::vector<Hertz> steps = cpu_.steps();
        auto cpu_range = resolve(*profile.cpu, steps);
        if (!cpu_range && !steps.empty() && std::holds_alternative<Automatic>(*profile.cpu)) {
            cpu_range = std::pair{steps.front(), steps.back()};
        }
        result = cpu_range ? cpu_.set_range(cpu_range->first, cpu_range->second)
                           : ApplyResult{ApplyStatus::rejected, "cpu", "not a clock step of this CPU", ""};
    }
    if (result.ok() && !profile.cpu_cluster.empty()) result = set_tegra124_cpu_cluster(*files_, profile.cpu_cluster);
    return result;
}

ApplyResult ClockController::apply(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const auto profile = std::find_if(options_.profiles.begin(), options_.profiles.end(),
                                      [&](const ClockProfile& candidate) { return candidate.id == id; });
    if (profile == options_.profiles.end()) {
        std::string known;
        for (const ClockProfile& candidate : options_.profiles) known += (known.empty() ? "" : ", ") + candidate.id;
        throw Error(ErrorKind::usage, "unknown clock profile", id, {"use one of %1", known});
    }
    const ResolvedProfile resolved = resolve_profile(*profile, gpu_->steps());
    if (!resolved.available) {
        const bool no_step =
            std::holds_alternative<Fixed>(profile->gpu) && gpu_->kind() != "none" && !gpu_->steps().empty();
        return {no_step ? ApplyStatus::rejected : ApplyStatus::unsupported, id, resolved.reason,
                "run throng clocks list for the available profiles"};
    }

    const ClockStateFile::Lock state_lock = state_file_.lock();
    const bool first_change = !found_;
    if (first_change) {
        const std::optional<ClockState> previous = state_file_.read();
        if (previous && owner_alive(*previous) && previous->owner != ::getpid()) {
            return {ApplyStatus::rejected, state_file_.path().string(),
                    "process " + std::to_string(previous->owner) + " controls the clocks", "end that process first"};
        }
        // Keep the state that an earlier `set` saved: restore must return to it, not to the clocks of that `set`.
        ClockState state =
            previous ? *previous
                     : ClockState{0, "", gpu_->kind(), gpu_->save(), cpu_.save(), tegra124_cpu_cluster(*files_)};
        // This process owns the state until the change is complete, even a persistent one. If it is killed meanwhile,
        // the next start restores the clocks.
        state.owner = ::getpid();
        state.owner_start = process_start(::getpid());
        state_file_.write(state);
        found_ = std::move(state);
    }
    if (profile->memory && found_->memory_kind.empty()) {  // the first profile that changes it
        found_->memory_kind = memory_->kind();
        found_->memory = memory_->save();
        state_file_.write(*found_);
    }
    ApplyResult result = apply_targets(*profile);
    if (result.ok()) {
        if (options_.keep) {
            found_->owner = 0;
            found_->owner_start.clear();
            state_file_.write(*found_);
        }
        applied_ = id;
        applied_range_.reset();
        if (resolved.gpu_min && resolved.gpu_max) applied_range_ = {*resolved.gpu_min, *resolved.gpu_max};
    } else if (first_change) {
        restore_locked(*found_);
    }
    return result;
}

ClockReading ClockController::measure() const {
    const std::lock_guard lock(mutex_);
    ClockReading reading;
    reading.gpu = gpu_->read();
    reading.cpu = cpu_.read();
    reading.memory = memory_->read();
    reading.applied = applied_;
    if (applied_range_) {
        reading.requested = applied_range_->second;
        // T124 and devfreq report the current range. NVML does not, but no clock runs above its lock.
        const bool above_lock = gpu_->kind() == "nvml" && reading.gpu.current &&
                                *reading.gpu.current > applied_range_->second + kNvmlTolerance;
        reading.changed_by_another = above_lock || (reading.gpu.min && *reading.gpu.min != applied_range_->first) ||
                                     (reading.gpu.max && *reading.gpu.max != applied_range_->second);
    }
    return reading;
}

ApplyResult ClockController::restore_locked(const ClockState& state) {
    ApplyResult result;
    if (state.gpu_kind == gpu_->kind()) result = gpu_->restore(state.gpu);
    const ApplyResult cpu = cpu_.restore(state.cpu);
    if (result.ok()) result = cpu;
    if (!state.memory_kind.empty()) {
        const ApplyResult memory = state.memory_kind == memory_->kind()
                                       ? memory_->restore(state.memory)
                                       : ApplyResult{ApplyStatus::needs_privilege, "memory", "its files cannot be read",
                                                     "run this as the user who changed the clocks"};
        if (result.ok()) result = memory;
    }
    if (!state.cpu_cluster.empty() && tegra124_cpu_cluster(*files_) != state.cpu_cluster) {
        const ApplyResult cluster = set_tegra124_cpu_cluster(*files_, state.cpu_cluster);
        if (result.ok()) result = cluster;
    }
    // If a restore fails, the state file remains, so that a later attempt (with more privileges) can succeed.
    if (result.ok()) {
        state_file_.remove();
        found_.reset();
        applied_.clear();
        applied_range_.reset();
    }
    return result;
}

ApplyResult ClockController::restore() {
    const std::lock_guard lock(mutex_);
    if (!found_ && !state_file_.read()) return {};
    const ClockStateFile::Lock state_lock = state_file_.lock();
    if (found_) return restore_locked(*found_);
    const std::optional<ClockState> state = state_file_.read();
    if (!state) return {};
    if (owner_alive(*state) && state->owner != ::getpid()) {
        return {ApplyStatus::rejected, state_file_.path().string(),
                "process " + std::to_string(state->owner) + " controls the clocks", "end that process first"};
    }
    return restore_locked(*state);
}

}  // namespace throng
