// GPUs under the kernel's devfreq: Tegra from T210 on, and any other device tree GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/clocks/gpu_clock.h"

namespace throng {

// The devfreq folder of the GPU, links resolved: first by what /sys/class/devfreq says of each device, then by the
// places that the boards are known for. Nothing while the GPU has never been powered.
[[nodiscard]] std::optional<std::string> find_devfreq_node(const SystemFiles& files, const std::string& soc);

[[nodiscard]] std::unique_ptr<GpuClock> make_devfreq_clock(std::shared_ptr<SystemFiles> files, std::string soc);

}  // namespace throng
