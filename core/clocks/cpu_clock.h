// The CPU's frequency range and governor through cpufreq, for comparisons of CPU and GPU at chosen clocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clocks/board_clock.h"
#include "core/clocks/system_files.h"

namespace throng {

struct CpuClockReading {
    std::optional<Hertz> current;  // of the fastest core now
    std::optional<Hertz> min;
    std::optional<Hertz> max;
    std::string governor;
};

// Applies to all cores. Offline cores have no cpufreq folder and are not changed.
class CpuClock {
public:
    explicit CpuClock(std::shared_ptr<SystemFiles> files) : files_(std::move(files)) {}

    // Ascending. Only the lowest and the highest frequency if the driver does not list the others.
    [[nodiscard]] std::vector<Hertz> steps() const;
    [[nodiscard]] CpuClockReading read() const;

    ApplyResult set_range(Hertz min, Hertz max);
    ApplyResult set_governor(const std::string& governor);

    [[nodiscard]] SavedClock save() const;
    // Writes only files that save() reads: what was saved may come from a folder of another user.
    ApplyResult restore(const SavedClock& saved);

private:
    [[nodiscard]] std::vector<std::string> folders() const;
    std::shared_ptr<SystemFiles> files_;
};

}  // namespace throng
