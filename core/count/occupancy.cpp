#include "core/count/occupancy.h"

#include <algorithm>
#include <cmath>

namespace throng {

void OccupancyGrid::update(std::span<const Track> tracks, double seconds, int width, int height) {
    width_ = width;
    height_ = height;
    if (cells_.empty()) {
        rows_ = std::max(1, static_cast<int>(std::lround(double{kColumns} * height / width)));
        cells_.resize(static_cast<std::size_t>(rows_) * kColumns);
        newest_ = seconds;
    }
    const double step = std::min(seconds - newest_, kMaxStep);
    newest_ = seconds;
    if (!(step > 0)) return;
    // Returns the cell whose pixels include the center; the nearest one for a center outside the image.
    const auto cell_of = [](float center, int size, int cells) {
        const auto pixel =
            static_cast<std::int64_t>(std::clamp(std::floor(center), 0.0F, static_cast<float>(size - 1)));
        return static_cast<int>(((pixel + 1) * cells - 1) / size);
    };
    for (const Track& track : tracks) {
        if (!track.confirmed) continue;
        const Box& box = track.smoothed;
        const int column = cell_of(box.x + 0.5F * box.w, width, kColumns);
        const int row = cell_of(box.y + 0.5F * box.h, height, rows_);
        cells_[static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column)] += step;
    }
}

double OccupancyGrid::seconds(int column, int row) const {
    return cells_.at(static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column));
}

}  // namespace throng
