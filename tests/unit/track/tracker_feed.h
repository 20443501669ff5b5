// Feeds a tracker frame by frame.
#pragma once

#include <vector>

#include "core/track/tracker.h"

namespace throng::test {

inline Detection face(double center_x, double center_y, double side, int hits = 5) {
    const auto s = static_cast<float>(side);
    return {{static_cast<float>(center_x) - s / 2, static_cast<float>(center_y) - s / 2, s, s}, 1, hits, 0};
}

constexpr double kFrame = 1.0 / 30;  // seconds

// Feeds a tracker of 1920x1080 frames at 30 per second.
class Feed {
public:
    explicit Feed(const TrackerParams& params = {}) : tracker(params) {}
    std::vector<Track> operator()(const std::vector<Detection>& kept, const std::vector<Detection>& candidates = {}) {
        TrackerInput input;
        input.kept = kept;
        input.candidates = candidates;
        input.width = 1920;
        input.height = 1080;
        input.seconds = kFrame * static_cast<double>(frame++);
        return tracker.update(input);
    }
    Tracker tracker;
    int frame = 0;
};

inline double center_x(const Box& box) {
    return static_cast<double>(box.x) + 0.5 * static_cast<double>(box.w);
}
inline double center_y(const Box& box) {
    return static_cast<double>(box.y) + 0.5 * static_cast<double>(box.h);
}

}  // namespace throng::test
