// The TK1's GPU clock, an override in debugfs, and its CPU cluster.
#pragma once

#include <memory>

#include "core/clocks/board_clock.h"

namespace throng {

[[nodiscard]] std::unique_ptr<BoardClock> make_tegra124_clock(std::shared_ptr<SystemFiles> files);

// CPU cluster of the TK1: the four fast cores ("G") or the low-power core ("LP").
[[nodiscard]] std::string tegra124_cpu_cluster(const SystemFiles& files);  // empty if it cannot be read
[[nodiscard]] ApplyResult set_tegra124_cpu_cluster(SystemFiles& files, const std::string& cluster);

}  // namespace throng
