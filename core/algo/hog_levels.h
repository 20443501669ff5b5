// The windows of a frame for the people detector: the levels of its pyramid and the window positions on each. They
// follow cv::HOGDescriptor::detectMultiScale of OpenCV 4 with a window stride of 8 and no padding. In addition, levels
// of an enlarged image find smaller people.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/algo/box.h"
#include "core/algo/hog.h"

namespace throng {

// Minimum scale. More enlargement adds no detail.
inline constexpr double kHogMinScale = 0.5;

struct HogLevel {
    double scale;                   // pixels of the frame per pixel of the level
    int width, height;              // of the resized gray image
    int block_columns, block_rows;  // blocks: the one at (i, j) has its corner at (8 i, 8 j)
    int columns, rows;              // windows, likewise
    float box_width, box_height;    // of a window, in pixels of the frame
};

// Returns the level of a scale; its columns are 0 if no window fits.
inline HogLevel hog_level(int frame_width, int frame_height, double scale) {
    HogLevel level{};
    level.scale = scale;
    level.width = static_cast<int>(std::lrint(frame_width / scale));
    level.height = static_cast<int>(std::lrint(frame_height / scale));
    level.box_width = static_cast<float>(std::lrint(kHogWindowWidth * scale));
    level.box_height = static_cast<float>(std::lrint(kHogWindowHeight * scale));
    if (level.width < kHogWindowWidth || level.height < kHogWindowHeight) return level;
    level.block_columns = (level.width - kHogBlock) / kHogCell + 1;
    level.block_rows = (level.height - kHogBlock) / kHogCell + 1;
    level.columns = level.block_columns - kHogColumns + 1;
    level.rows = level.block_rows - kHogRows + 1;
    return level;
}

// Returns the levels from the smallest windows to the largest, at scale 1 multiplied and divided by powers of
// scale_factor. min_size and max_size (0: no limit) bound the height of a window in the frame; the minimum is 64
// pixels. If no window's height lies between the bounds, the level nearest to min_size is used if it is at most one
// scale_factor outside them. Empty if the frame is smaller than the smallest window.
inline std::vector<HogLevel> hog_levels(int frame_width, int frame_height, double scale_factor, int min_size,
                                        int max_size) {
    std::vector<HogLevel> all;
    for (double scale = 1.0 / scale_factor;; scale /= scale_factor) {
        if (scale < kHogMinScale - 1e-9) break;
        const HogLevel level = hog_level(frame_width, frame_height, scale);
        if (level.box_height < static_cast<float>(min_size) / static_cast<float>(scale_factor)) break;
        if (level.columns > 0) all.insert(all.begin(), level);
    }
    for (double scale = 1.0;; scale *= scale_factor) {
        const HogLevel level = hog_level(frame_width, frame_height, scale);
        if (level.columns <= 0) break;
        all.push_back(level);
    }

    const auto least = static_cast<float>(min_size);
    const auto most = static_cast<float>(max_size);
    std::vector<HogLevel> levels;
    for (const HogLevel& level : all) {
        if (level.box_height >= least && (max_size == 0 || level.box_height <= most)) levels.push_back(level);
    }
    if (!levels.empty() || all.empty()) return levels;
    const auto distance = [&](const HogLevel& level) { return std::fabs(level.box_height - least); };
    const HogLevel& nearest = *std::min_element(
        all.begin(), all.end(), [&](const HogLevel& a, const HogLevel& b) { return distance(a) < distance(b); });
    const auto factor = static_cast<float>(scale_factor);
    const bool near = nearest.box_height * factor >= least && (max_size == 0 || nearest.box_height <= most * factor);
    if (near) levels.push_back(nearest);
    return levels;
}

// Returns the box in the frame of the window in column i and row j of a level.
TH_HD Box hog_box(double scale, float box_width, float box_height, int i, int j) {
    return {static_cast<float>(lrint(i * kHogCell * scale)), static_cast<float>(lrint(j * kHogCell * scale)), box_width,
            box_height};
}

}  // namespace throng
