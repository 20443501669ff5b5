#include "core/clocks/nvml_clock.h"

#include <tuple>
#include <utility>

namespace throng {
namespace {

constexpr Hertz kMegahertz = 1'000'000;

class NvmlClock final : public GpuClock {
public:
    explicit NvmlClock(std::shared_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {}

    std::string kind() const override { return "nvml"; }
    std::string location() const override { return nvml_->name(); }

    std::vector<Hertz> steps() const override {
        std::vector<Hertz> found;
        for (const unsigned mhz : nvml_->graphics_clocks_mhz()) found.push_back(mhz * kMegahertz);
        return found;
    }

    GpuClockReading read() const override {
        GpuClockReading reading;
        if (const auto mhz = nvml_->graphics_clock_mhz()) reading.current = *mhz * kMegahertz;
        reading.load = nvml_->load();
        // NVML does not tell which range is locked: what we locked is all that we know.
        if (locked_) std::tie(reading.min, reading.max) = *locked_;
        reading.governor = locked_ ? "locked" : "";
        return reading;
    }

    ApplyResult set_range(Hertz min, Hertz max) override {
        const NvmlStatus status =
            nvml_->lock_clocks(static_cast<unsigned>(min / kMegahertz), static_cast<unsigned>(max / kMegahertz));
        if (status == NvmlStatus::success) locked_ = {min, max};
        return result(status, "nvmlDeviceSetGpuLockedClocks");
    }

    ApplyResult set_automatic() override {
        const NvmlStatus status = nvml_->reset_clocks();
        if (status == NvmlStatus::success) locked_.reset();
        return result(status, "nvmlDeviceResetGpuLockedClocks");
    }

    SavedClock save() const override { return {{"locked", "0"}}; }
    ApplyResult restore(const SavedClock& /*saved*/) override { return set_automatic(); }

private:
    static ApplyResult result(NvmlStatus status, const char* call) {
        switch (status) {
            case NvmlStatus::success: return {};
            case NvmlStatus::no_permission:
                return {ApplyStatus::needs_privilege, call, describe(status),
                        "locking the clocks of a discrete GPU needs root: sudo throng clocks set ID"};
            case NvmlStatus::not_supported:
            case NvmlStatus::function_not_found: return {ApplyStatus::unsupported, call, describe(status), ""};
            default: return {ApplyStatus::rejected, call, describe(status), ""};
        }
    }

    std::shared_ptr<Nvml> nvml_;
    std::optional<std::pair<Hertz, Hertz>> locked_;
};

}  // namespace

std::unique_ptr<GpuClock> make_nvml_clock(std::shared_ptr<Nvml> nvml) {
    return std::make_unique<NvmlClock>(std::move(nvml));
}

}  // namespace throng
