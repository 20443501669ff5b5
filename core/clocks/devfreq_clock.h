// Clocks under the kernel's devfreq: the GPU of Tegra from T210 on, any other GPU of a device tree, and memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/clocks/board_clock.h"

namespace throng {

// Returns the devfreq folder of the GPU with links resolved. Searches the devices in /sys/class/devfreq, then the known
// paths of the boards. Returns nothing if the GPU has not been powered yet.
[[nodiscard]] std::optional<std::string> find_devfreq_node(const SystemFiles& files, const std::string& soc);

// Returns the clock at the node that `find` returns. It is searched on each access: a node may appear long after boot and
// disappear with its driver. missing: the reason while there is none. nvml: asked for the load where the node has no such
// file, as on T264; may be null.
using FindDevfreqNode = std::function<std::optional<std::string>(const SystemFiles&)>;
[[nodiscard]] std::unique_ptr<BoardClock> make_devfreq_clock(std::shared_ptr<SystemFiles> files, FindDevfreqNode find,
                                                             Message missing, std::shared_ptr<Nvml> nvml = nullptr);

}  // namespace throng
