// Decides which boxes can be hidden as boxes. Where one cannot, the whole frame is hidden.
#pragma once

#include <cmath>

#include "core/algo/box.h"

namespace throng {

// Returns true if the box has finite edges and a positive size.
[[nodiscard]] inline bool is_judged(const Box& box) {
    return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.x + box.w) &&
           std::isfinite(box.y + box.h) && box.w > 0 && box.h > 0;
}

}  // namespace throng
