// Boxes that cover others.
#pragma once

#include <algorithm>

#include "core/algo/box.h"
#include "core/algo/box_size.h"

namespace throng {

inline double common_area(const Box& a, const Box& b) {
    const double w = static_cast<double>(std::min(a.x + a.w, b.x + b.w)) - static_cast<double>(std::max(a.x, b.x));
    const double h = static_cast<double>(std::min(a.y + a.h, b.y + b.h)) - static_cast<double>(std::max(a.y, b.y));
    return std::max(w, 0.0) * std::max(h, 0.0);
}

// Returns whether a face that was not detected at `box` is behind the one detected at `front`.
inline bool is_behind(const Box& box, const Box& front) {
    constexpr double kCovered = 0.4;  // fraction of the box
    return common_area(box, front) > kCovered * area(box);
}

}  // namespace throng
