// The clock of the memory (EMC) of a Tegra board. A network or a cascade that waits for memory is as slow as this clock.
#pragma once

#include <memory>

#include "core/clocks/board_clock.h"

namespace throng {

// Returns the memory clock: an override in debugfs, which only root may read, else the device in /sys/class/devfreq. A
// devfreq node that appears later is found then; until then, or on another machine, nothing is read. A discrete GPU's
// memory is not among these: see Nvml::memory_clock_mhz.
[[nodiscard]] std::unique_ptr<BoardClock> find_memory_clock(const std::shared_ptr<SystemFiles>& files);

}  // namespace throng
