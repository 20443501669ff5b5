// GPUs under the kernel's devfreq: Tegra from T210 on, and any other device tree GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/clocks/gpu_clock.h"

namespace throng {

// Returns the devfreq folder of the GPU with links resolved. Searches the devices in /sys/class/devfreq, then the known
// paths of the boards. Returns nothing if the GPU has not been powered yet.
[[nodiscard]] std::optional<std::string> find_devfreq_node(const SystemFiles& files, const std::string& soc);

[[nodiscard]] std::unique_ptr<GpuClock> make_devfreq_clock(std::shared_ptr<SystemFiles> files, std::string soc);

}  // namespace throng
