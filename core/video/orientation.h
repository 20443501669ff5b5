// How a frame must be turned to stand upright: one of the eight ways to lay a rectangle on itself.
#pragma once

#include <cstdint>

#include "core/frame/frame_pool.h"

namespace throng {

// Applied in this order.
struct Orientation {
    bool transpose = false;  // exchange rows and columns
    bool flip_x = false;     // then mirror left to right
    bool flip_y = false;     // then mirror top to bottom

    [[nodiscard]] bool upright() const noexcept { return !transpose && !flip_x && !flip_y; }
    friend bool operator==(const Orientation&, const Orientation&) = default;
};

// From a display matrix (nine 16.16 and 2.30 fixed-point numbers, ISO/IEC 14496-12, section 6.2.2; row vector times
// matrix). Angles between the right ones go to the nearest; a degenerate matrix leaves the frame as it is.
[[nodiscard]] Orientation orientation_of(const std::int32_t* display_matrix);

// The frame turned, in memory from the pool; host frames only. Number, time and colors stay.
[[nodiscard]] Frame turned(const Frame& frame, Orientation orientation, FramePool& pool);

}  // namespace throng
