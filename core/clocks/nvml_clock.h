// The clock of a discrete GPU through NVML. Locking needs root; reading does not.
#pragma once

#include <memory>

#include "core/clocks/board_clock.h"
#include "core/clocks/nvml.h"

namespace throng {

// Tolerance for comparisons of clocks, which are locked in steps of 15 MHz.
inline constexpr Hertz kNvmlTolerance = 20'000'000;

[[nodiscard]] std::unique_ptr<BoardClock> make_nvml_clock(std::shared_ptr<Nvml> nvml);

}  // namespace throng
