#include "core/clocks/tegra124_clock.h"

#include <array>
#include <utility>
#include <vector>

#include "core/clocks/override_clock.h"

namespace throng {
namespace {

constexpr const char* kCluster = "/sys/kernel/cluster/";

// For kernels without possible_rates. MHz.
constexpr std::array kKnownRates{72, 108, 180, 252, 324, 396, 468, 540, 612, 648, 684, 708, 756, 804, 852};

}  // namespace

std::unique_ptr<BoardClock> make_tegra124_clock(std::shared_ptr<SystemFiles> files) {
    std::vector<Hertz> known;
    for (const int mhz : kKnownRates) known.push_back(Hertz{mhz} * 1'000'000);
    const std::string clock = "/sys/kernel/debug/clock/";
    return make_override_clock(std::move(files), {"tegra124", clock + "gbus/rate", clock + "gbus/min",
                                                  clock + "gbus/max", clock + "gbus/possible_rates", std::move(known),
                                                  clock + "override.gbus/rate", clock + "override.gbus/state"});
}

std::string tegra124_cpu_cluster(const SystemFiles& files) {
    return files.read(std::string(kCluster) + "active").value_or("");
}

ApplyResult set_tegra124_cpu_cluster(SystemFiles& files, const std::string& cluster) {
    // immediate: switch now. force = 0: the governor must not switch back by itself.
    for (const auto& [name, value] : {std::pair{"immediate", std::string("0")}, std::pair{"force", std::string("0")},
                                      std::pair{"active", cluster}}) {
        const std::string path = std::string(kCluster) + name;
        const WriteOutcome outcome = files.write(path, value);
        if (!outcome.ok()) return rejected(path, outcome);
    }
    const std::string active = tegra124_cpu_cluster(files);
    if (active == cluster) return {};
    return {ApplyStatus::rejected, std::string(kCluster) + "active",
            "requested " + cluster + ", but the board reports " + active, ""};
}

}  // namespace throng
