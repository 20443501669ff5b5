// A clock through debugfs that has no range: one override rate can be switched on and off. The GPU of the TK1 and the
// memory of most boards have such a clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/clocks/board_clock.h"

namespace throng {

// The attribute files of one clock. All rates are in Hz, but those of `steps` in kHz.
struct OverrideFiles {
    std::string kind;     // BoardClock::kind
    std::string current;  // the rate now
    std::string min;      // of the range of the board
    std::string max;
    std::string steps;               // the possible rates; empty: only min and max are known
    std::vector<Hertz> known_steps;  // for kernels without the file of the steps
    std::string rate;                // the override
    std::string state;               // 1: the override acts
};

[[nodiscard]] std::unique_ptr<BoardClock> make_override_clock(std::shared_ptr<SystemFiles> files, OverrideFiles paths);

}  // namespace throng
