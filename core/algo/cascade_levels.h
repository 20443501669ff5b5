// The candidate windows of a frame: the levels of the pyramid, the window positions on each level, and the windows that
// are visited. All follow cv::CascadeClassifier::detectMultiScale of OpenCV 4, so that both evaluate the same windows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algo/box.h"
#include "core/algo/host_device.h"

namespace throng {

// Rounds half to even.
TH_HD int round_to_int(float x) {
    return static_cast<int>(lrintf(x));
}

struct CascadeLevel {
    float scale;                // pixels of the frame per pixel of the level
    int width, height;          // of the resized gray image
    int step;                   // between windows, both ways, in pixels of the level: 2 below a scale of 2, otherwise 1
    int columns, rows;          // windows: the one at (i, j) has its corner at (i * step, j * step)
    int box_width, box_height;  // of a window, in pixels of the frame
};

// Returns the levels from the smallest windows to the largest. min_size bounds the smaller side of a window in the
// frame, max_size (0: no limit) the larger. If no level lies between the bounds, the level nearest to min_size is used,
// as in OpenCV. Empty if the frame is smaller than the window.
inline std::vector<CascadeLevel> cascade_levels(int frame_width, int frame_height, int window_width, int window_height,
                                                double scale_factor, int min_size, int max_size) {
    std::vector<float> scales;
    if (frame_width < window_width || frame_height < window_height) return {};
    for (double factor = 1.0;; factor *= scale_factor) {
        if (std::lrint(window_width * factor) > frame_width || std::lrint(window_height * factor) > frame_height) break;
        scales.push_back(static_cast<float>(factor));
    }
    const auto box_width = [&](float scale) { return round_to_int(static_cast<float>(window_width) * scale); };
    const auto box_height = [&](float scale) { return round_to_int(static_cast<float>(window_height) * scale); };
    const int widest = max_size > 0 ? max_size : frame_width;
    const int highest = max_size > 0 ? max_size : frame_height;

    std::vector<float> requested;
    for (const float scale : scales) {
        if (box_width(scale) > widest || box_height(scale) > highest) break;
        if (box_width(scale) >= min_size && box_height(scale) >= min_size) requested.push_back(scale);
    }
    if (requested.empty() && !scales.empty()) {
        const auto distance = [&](float scale) {
            const double dx = min_size - box_width(scale);
            const double dy = min_size - box_height(scale);
            return dx * dx + dy * dy;
        };
        requested.push_back(*std::min_element(scales.begin(), scales.end(),
                                              [&](float a, float b) { return distance(a) < distance(b); }));
    }

    std::vector<CascadeLevel> levels;
    int stripes = 0;
    for (const float scale : requested) {
        CascadeLevel level{};
        level.scale = scale;
        level.width = round_to_int(static_cast<float>(frame_width) / scale);
        level.height = round_to_int(static_cast<float>(frame_height) / scale);
        level.step = scale >= 2.0F ? 1 : 2;
        level.box_width = box_width(scale);
        level.box_height = box_height(scale);
        const int across = std::max(level.width + 1 - window_width, 0);
        const int down = std::max(level.height + 1 - window_height, 0);
        // OpenCV divides a level into as many stripes as the first level has columns of 32 windows. If the rows divide
        // evenly among them after rounding down, OpenCV does not visit the last odd row.
        if (levels.empty()) stripes = (across + 31) / 32;
        if (stripes > 0) {
            const int stripe = std::max((down / level.step + stripes - 1) / stripes, 1) * level.step;
            const int visited = static_cast<int>(std::min<std::int64_t>(std::int64_t{stripes} * stripe, down));
            level.columns = (across + level.step - 1) / level.step;
            level.rows = (visited + level.step - 1) / level.step;
        }
        levels.push_back(level);
    }
    return levels;
}

// Returns the box in the frame of the window in column i and row j, clipped to the frame.
TH_HD Box window_box(const CascadeLevel& level, int i, int j, int frame_width, int frame_height) {
    const int x = round_to_int(static_cast<float>(i * level.step) * level.scale);
    const int y = round_to_int(static_cast<float>(j * level.step) * level.scale);
    const int w = x + level.box_width > frame_width ? frame_width - x : level.box_width;
    const int h = y + level.box_height > frame_height ? frame_height - y : level.box_height;
    return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(w), static_cast<float>(h)};
}

// Returns a mask of the visited windows. A row is processed from left to right, and the window after one that was
// rejected in stage 0 is skipped: a visit depends on the left neighbors alone. `rejected` has one bit per window, the
// lowest first, set if stage 0 rejects it (flat windows are not counted as rejected). `skip` carries from word to word
// of a row and starts at 0.
TH_HD std::uint64_t visited_windows(std::uint64_t rejected, std::uint32_t& skip) {
    constexpr std::uint64_t kEven = 0x5555555555555555ULL;
    // The window after one that was not rejected is always visited. A skipped first window counts as not rejected.
    const std::uint64_t first = skip;
    rejected &= ~first;
    // In a run of rejected windows every second one is visited, starting with the first. An addition carries through a
    // run and clears it.
    const std::uint64_t starts = rejected & ~(rejected << 1);
    const std::uint64_t even_runs = rejected & ~(rejected + (starts & kEven));
    const std::uint64_t visited_rejected = (even_runs & kEven) | (rejected & ~even_runs & ~kEven);
    const std::uint64_t skipped = (visited_rejected << 1) | first;
    skip = static_cast<std::uint32_t>(visited_rejected >> 63);
    return visited_rejected | (~rejected & ~skipped);
}

}  // namespace throng
