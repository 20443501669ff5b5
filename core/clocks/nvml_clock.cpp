#include "core/clocks/nvml_clock.h"

#include <chrono>
#include <thread>
#include <tuple>
#include <utility>

namespace throng {
namespace {

constexpr Hertz kMegahertz = 1'000'000;
constexpr int kAttempts = 12;
constexpr std::chrono::milliseconds kBetweenAttempts{5};

class NvmlClock final : public BoardClock {
public:
    explicit NvmlClock(std::shared_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {}

    std::string kind() const override { return "nvml"; }
    std::string location() const override { return nvml_->name(); }

    std::vector<Hertz> steps() const override {
        std::vector<Hertz> found;
        for (const unsigned mhz : nvml_->graphics_clocks_mhz()) found.push_back(mhz * kMegahertz);
        return found;
    }

    BoardClockReading read() const override {
        BoardClockReading reading;
        if (const auto mhz = nvml_->graphics_clock_mhz()) reading.current = *mhz * kMegahertz;
        reading.load = nvml_->load();
        // NVML does not report the locked range, so only a range locked by this object is available.
        if (locked_) std::tie(reading.min, reading.max) = *locked_;
        reading.governor = locked_ ? "locked" : "";
        return reading;
    }

    ApplyResult set_range(Hertz min, Hertz max) override {
        const NvmlStatus status =
            nvml_->lock_clocks(static_cast<unsigned>(min / kMegahertz), static_cast<unsigned>(max / kMegahertz));
        if (status != NvmlStatus::success) {
            rejected_ = true;
            return result(status, "nvmlDeviceSetGpuLockedClocks");
        }
        locked_ = {min, max};
        return read_back(max);
    }

    ApplyResult set_automatic() override {
        const NvmlStatus status = nvml_->reset_clocks();
        if (status == NvmlStatus::success) locked_.reset();
        return result(status, "nvmlDeviceResetGpuLockedClocks");
    }

    SavedClock save() const override { return {{"locked", "0"}}; }
    ApplyResult restore(const SavedClock& /*saved*/) override {
        // If this object lacked the permission to lock, there is nothing to undo.
        return rejected_ && !locked_ ? ApplyResult{} : set_automatic();
    }

private:
    // The driver changes the clock some milliseconds after the call. A clock below the lock means that the GPU is idle
    // or throttled. A clock that stays above it means that the lock is not in effect.
    [[nodiscard]] ApplyResult read_back(Hertz max) const {
        std::optional<unsigned> mhz;
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            if (attempt > 0) std::this_thread::sleep_for(kBetweenAttempts);
            mhz = nvml_->graphics_clock_mhz();
            if (!mhz || *mhz * kMegahertz <= max + kNvmlTolerance) break;
        }
        ApplyResult result;
        if (!mhz) {
            result.reason = "the clock cannot be read back";
        } else if (*mhz * kMegahertz > max + kNvmlTolerance) {
            return {ApplyStatus::rejected, "nvmlDeviceSetGpuLockedClocks",
                    "requested at most " + std::to_string(max / kMegahertz) + " MHz, but the GPU runs at " +
                        std::to_string(*mhz) + " MHz",
                    "another program may control the clock"};
        } else if (const auto reasons = nvml_->throttle_reasons().value_or(0); (reasons & throttle::kSlowing) != 0) {
            result.reason = {"the GPU runs at %1 MHz: it is throttled", *mhz};
        }
        return result;
    }

    static ApplyResult result(NvmlStatus status, const char* call) {
        switch (status) {
            case NvmlStatus::success: return {};
            case NvmlStatus::no_permission:
                return {ApplyStatus::needs_privilege, call, describe(status),
                        "locking the clocks of a discrete GPU requires root: sudo throng clocks set ID"};
            case NvmlStatus::not_supported:
            case NvmlStatus::function_not_found: return {ApplyStatus::unsupported, call, describe(status), ""};
            default: return {ApplyStatus::rejected, call, describe(status), ""};
        }
    }

    std::shared_ptr<Nvml> nvml_;
    std::optional<std::pair<Hertz, Hertz>> locked_;
    bool rejected_ = false;
};

}  // namespace

std::unique_ptr<BoardClock> make_nvml_clock(std::shared_ptr<Nvml> nvml) {
    return std::make_unique<NvmlClock>(std::move(nvml));
}

}  // namespace throng
