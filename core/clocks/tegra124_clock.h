// The TK1's GPU clock, which debugfs overrides: no range, one rate that is switched on and off.
#pragma once

#include <memory>

#include "core/clocks/gpu_clock.h"

namespace throng {

[[nodiscard]] std::unique_ptr<GpuClock> make_tegra124_clock(std::shared_ptr<SystemFiles> files);

// Its CPU can run on the four fast cores ("G") or on the low-power one ("LP").
[[nodiscard]] std::string tegra124_cpu_cluster(const SystemFiles& files);  // empty where it cannot be read
[[nodiscard]] ApplyResult set_tegra124_cpu_cluster(SystemFiles& files, const std::string& cluster);

}  // namespace throng
