// Where people were, and for how long: person-seconds in the cells of a grid over the image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/track/tracker.h"

namespace throng {

// One source. As in Counter, only confirmed tracks count, and a person is at the center of the smoothed box. Each frame
// adds the time since the frame before it, at most kMaxStep: nobody knows where people were during a longer gap. A time
// that does not advance adds nothing. Not thread-safe.
class OccupancyGrid {
public:
    static constexpr int kColumns = 64;    // for images of any size; the cells are about square
    static constexpr double kMaxStep = 1;  // seconds

    // Sizes in pixels of the frame. If they change, the grid covers the new size with the same cells.
    void update(std::span<const Track> tracks, double seconds, int width, int height);

    [[nodiscard]] int columns() const noexcept { return cells_.empty() ? 0 : kColumns; }
    [[nodiscard]] int rows() const noexcept { return rows_; }  // 0 before the first frame
    [[nodiscard]] double seconds(int column, int row) const;   // person-seconds
    // First pixel of a column or row of the grid, in the newest frame; of the one after the last: its size.
    [[nodiscard]] int x(int column) const noexcept { return edge(column, kColumns, width_); }
    [[nodiscard]] int y(int row) const noexcept { return edge(row, rows_, height_); }
    // Of the newest frame, in pixels.
    [[nodiscard]] int width() const noexcept { return width_; }
    [[nodiscard]] int height() const noexcept { return height_; }

private:
    static int edge(int cell, int cells, int size) noexcept {
        return static_cast<int>(std::int64_t{cell} * size / cells);
    }

    std::vector<double> cells_;  // row by row
    int rows_ = 0;
    int width_ = 0, height_ = 0;
    double newest_ = 0;  // seconds
};

}  // namespace throng
