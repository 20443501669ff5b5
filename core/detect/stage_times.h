// Sums of the times of stages.
#pragma once

#include <algorithm>

#include "core/detect/stage.h"

namespace throng {

// Adds to the time of a stage: one that runs several times in a frame has the sum.
inline void add_time(StageTimes& times, std::string_view name, double ms) {
    const auto stage = std::find_if(times.begin(), times.end(), [name](const StageTime& t) { return t.name == name; });
    if (stage != times.end()) {
        stage->ms += ms;
    } else {
        times.push_back({name, ms});
    }
}

}  // namespace throng
