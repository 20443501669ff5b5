// The rows of a pyramid level, computed from the gray image of a frame when they are needed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame/frame.h"

namespace throng {

// Immutable after construction, so threads may share it.
class LevelRows {
public:
    LevelRows(int frame_width, int frame_height, int width, int height);

    // Returns row y of the level: in the frame if both have the same size, otherwise resized into `resized`. blended
    // holds frame_width values, resized `width`, and both kResampleSlack more.
    [[nodiscard]] const std::uint8_t* row(const PlaneView& gray, int y, std::uint16_t* blended,
                                          std::uint8_t* resized) const;

private:
    int frame_width_, frame_height_, width_, height_;
    std::vector<std::int32_t> offsets_, weights_;  // of the columns, as in resample_row; empty: same size
};

}  // namespace throng
