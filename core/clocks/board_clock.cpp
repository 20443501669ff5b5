#include "core/clocks/board_clock.h"

#include "core/clocks/board.h"
#include "core/clocks/devfreq_clock.h"
#include "core/clocks/nvml_clock.h"
#include "core/clocks/tegra124_clock.h"

namespace throng {
namespace {

// Used if no clock control was found. Its errors list what was searched.
class NoClock final : public BoardClock {
public:
    std::string kind() const override { return "none"; }
    std::string location() const override { return {}; }
    std::vector<Hertz> steps() const override { return {}; }
    BoardClockReading read() const override { return {}; }
    ApplyResult set_range(Hertz, Hertz) override {
        return {ApplyStatus::unsupported, "GPU clock",
                "no Tegra board, no GPU in /sys/class/devfreq and no NVIDIA driver found", ""};
    }
    ApplyResult set_automatic() override { return set_range(0, 0); }
    SavedClock save() const override { return {}; }
    ApplyResult restore(const SavedClock&) override { return {}; }
};

// Returns the advice that lets this user write the file.
std::string grant_for(const std::string& path) {
    if (path.rfind("/sys/kernel/", 0) == 0) return "only root may write it; run sudo throng clocks set ID";
    return "permanently: sudo groupadd -f -r throng && sudo usermod -aG throng \"$USER\" && sudo cp "
           "configs/udev/99-throng-clocks.rules /etc/udev/rules.d/ && sudo udevadm control --reload && sudo udevadm "
           "trigger "
           "--subsystem-match=devfreq --subsystem-match=cpu, then log in again; once: sudo throng clocks set ID";
}

}  // namespace

ApplyResult rejected(const std::string& path, const WriteOutcome& outcome) {
    switch (outcome.status) {
        case WriteStatus::written: return {};
        case WriteStatus::missing:
            return {ApplyStatus::unsupported, path, outcome.reason.c_str(), "this kernel has no such control"};
        case WriteStatus::denied: return {ApplyStatus::needs_privilege, path, outcome.reason.c_str(), grant_for(path)};
        case WriteStatus::rejected:
            return {ApplyStatus::rejected, path, outcome.reason.c_str(), "the board does not accept this value"};
    }
    return {};
}

std::unique_ptr<BoardClock> find_gpu_clock(const std::shared_ptr<SystemFiles>& files,
                                           const std::shared_ptr<Nvml>& nvml) {
    const Board board = identify_board(*files);
    if (board.soc == "tegra124") return make_tegra124_clock(files);
    // On Jetson, NVML is missing, does not support clocks, or, on T264, reports the load only. On a desktop, devfreq may
    // list devices other than the GPU.
    if (!board.soc.empty() || find_devfreq_node(*files, board.soc)) {
        return make_devfreq_clock(
            files, [soc = board.soc](const SystemFiles& now) { return find_devfreq_node(now, soc); }, "no GPU found",
            nvml);
    }
    if (nvml) return make_nvml_clock(nvml);
    return std::make_unique<NoClock>();
}

}  // namespace throng
