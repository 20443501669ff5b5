// The orientation of a frame: one of the eight combinations of 90-degree rotations and mirroring.
#pragma once

#include <cstdint>

#include "core/frame/frame_pool.h"

namespace throng {

// The transformation that displays a stored frame correctly. Applied in this order.
struct Orientation {
    bool transpose = false;  // swap rows and columns
    bool flip_x = false;     // then mirror left to right
    bool flip_y = false;     // then mirror top to bottom

    [[nodiscard]] bool is_identity() const noexcept { return !transpose && !flip_x && !flip_y; }
    friend bool operator==(const Orientation&, const Orientation&) = default;
};

// Converts a display matrix (nine 16.16 and 2.30 fixed-point numbers, ISO/IEC 14496-12, section 6.2.2; row vector times
// matrix). Rounds angles to multiples of 90 degrees. Returns the identity for a degenerate matrix.
[[nodiscard]] Orientation orientation_of(const std::int32_t* display_matrix);

// Converts the value of the EXIF tag, 1 to 8. Returns the identity for others.
[[nodiscard]] Orientation orientation_of_exif(std::uint32_t value);

// Returns the transformation that applies `first`, then `second`.
[[nodiscard]] Orientation combined(Orientation first, Orientation second);

// Returns the rotated frame, in memory from the pool, with the same index, time and colors. Host frames only.
[[nodiscard]] Frame rotated(const Frame& frame, Orientation orientation, FramePool& pool);

}  // namespace throng
