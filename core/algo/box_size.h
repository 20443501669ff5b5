// Sizes of boxes in double precision, for evaluation and tracking. NMS has its own in float32 (nms_rules.h).
#pragma once

#include <algorithm>

#include "core/algo/box.h"

namespace throng {

[[nodiscard]] inline double area(const Box& box) {
    return static_cast<double>(box.w) * static_cast<double>(box.h);
}

[[nodiscard]] inline double smaller_side(const Box& box) {
    return static_cast<double>(std::min(box.w, box.h));
}

}  // namespace throng
