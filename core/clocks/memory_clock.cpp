#include "core/clocks/memory_clock.h"

#include <string>
#include <vector>

#include "core/clocks/devfreq_clock.h"
#include "core/clocks/override_clock.h"

namespace throng {
namespace {

// The overrides by family, newest first. Sources: jetson_clocks of L4T 21 to 36.
std::vector<OverrideFiles> overrides() {
    const std::string bpmp = "/sys/kernel/debug/bpmp/debug/clk/emc/";  // T186 to T234
    const std::string t210 = "/sys/kernel/debug/clk/override.emc/";    // T210
    const std::string bandwidth = "/sys/kernel/debug/tegra_bwmgr/";    // T210
    const std::string t124 = "/sys/kernel/debug/clock/";               // T124
    return {
        {"bpmp", bpmp + "rate", bpmp + "min_rate", bpmp + "max_rate", "", {}, bpmp + "rate", bpmp + "mrq_rate_locked"},
        {"tegra210",
         "/sys/kernel/debug/clk/emc/clk_rate",
         bandwidth + "emc_min_rate",
         bandwidth + "emc_max_rate",
         "",
         {},
         t210 + "clk_update_rate",
         t210 + "clk_state"},
        {"tegra124",
         t124 + "emc/rate",
         t124 + "emc/min",
         t124 + "emc/max",
         t124 + "emc/possible_rates",
         {},
         t124 + "override.emc/rate",
         t124 + "override.emc/state"}};
}

// Returns the folder of the memory controller: "external-memory-controller" or "emc" in the device tree, on T264 the
// bandwidth manager.
std::optional<std::string> find_node(const SystemFiles& files) {
    const std::string top = "/sys/class/devfreq/";
    for (const std::string& entry : files.list(top)) {
        const std::string name = files.read(top + entry + "/device/of_node/name").value_or(entry);
        for (const char* memory : {"memory-controller", "emc", "bwmgr"}) {
            if (name.find(memory) != std::string::npos) return files.resolve(top + entry);
        }
    }
    return std::nullopt;
}

}  // namespace

std::unique_ptr<BoardClock> find_memory_clock(const std::shared_ptr<SystemFiles>& files) {
    for (OverrideFiles& paths : overrides()) {
        if (files->read_number(paths.current).value_or(0) > 0) return make_override_clock(files, std::move(paths));
    }
    return make_devfreq_clock(files, find_node, "no memory clock found");
}

}  // namespace throng
