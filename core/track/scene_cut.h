// Where one scene of a source ends and the next one begins.
#pragma once

#include <string>

#include "core/track/tracker.h"

namespace throng {

class SceneCut {
public:
    // Returns whether the frame follows the previous one in the same scene: the same source and size, and a time that is
    // not before and at most 2 s later. The first frame does not.
    bool continues(const TrackerInput& input) {
        constexpr double kMaxStep = 2;  // seconds
        const double step = input.seconds - seconds_;
        const bool same = has_frame_ && input.source == source_ && input.width == width_ && input.height == height_ &&
                          step >= 0 && step <= kMaxStep;
        has_frame_ = true;
        source_ = input.source;
        width_ = input.width;
        height_ = input.height;
        seconds_ = input.seconds;
        return same;
    }

private:
    bool has_frame_ = false;
    std::string source_;
    int width_ = 0, height_ = 0;
    double seconds_ = 0;
};

}  // namespace throng
