// The TK1's GPU clock through debugfs. It has no range, only one override rate that can be switched on and off.
#pragma once

#include <memory>

#include "core/clocks/gpu_clock.h"

namespace throng {

[[nodiscard]] std::unique_ptr<GpuClock> make_tegra124_clock(std::shared_ptr<SystemFiles> files);

// CPU cluster of the TK1: the four fast cores ("G") or the low-power core ("LP").
[[nodiscard]] std::string tegra124_cpu_cluster(const SystemFiles& files);  // empty if it cannot be read
[[nodiscard]] ApplyResult set_tegra124_cpu_cluster(SystemFiles& files, const std::string& cluster);

}  // namespace throng
