// Coarser detection while a machine is too slow for the requested one, so that boxes follow the frames.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/detect/detector.h"

namespace throng {

// Chooses among a few levels from the times of the last frames. Level 0 is the configured detection; each further level
// takes less time: a larger minimum size (at most 1.5 times the configured one), then a larger scale factor where the
// detector has one. Not thread-safe.
class AutoQuality {
public:
    using Clock = std::chrono::steady_clock;

    // rate: detections per second to maintain, > 0.
    AutoQuality(const DetectorParams& configured, double rate);

    // Adds the time that detecting one frame took. Returns true if params() changed. One level coarser after
    // kFrames frames that were too slow; one level finer when that level is expected to be fast enough. A finer level
    // that was too slow after all is tried again after twice the time.
    [[nodiscard]] bool add(double milliseconds, Clock::time_point now);

    [[nodiscard]] const DetectorParams& params() const { return levels_[level_]; }
    // Returns `faces`, of a second detector, with a minimum size that grew by the same factor.
    [[nodiscard]] DetectorParams scaled(DetectorParams faces) const;
    [[nodiscard]] int level() const { return static_cast<int>(level_); }

    // Returns how the current level reduces it: "faces from 36 instead of 24 px, scale factor 1.2 instead of 1.1"; empty
    // at level 0.
    [[nodiscard]] Message given_up() const;

    static constexpr std::size_t kFrames = 8;  // frames at a level before it is judged

private:
    void enter(std::size_t level, Clock::time_point now);

    const double budget_ms_;
    std::vector<DetectorParams> levels_;  // finest first
    std::size_t level_ = 0;
    std::vector<double> times_;  // at the current level, since it was entered or last judged
    Clock::time_point entered_{};
    bool refined_ = false;  // the current level was entered from a coarser one
    std::chrono::seconds patience_;
};

}  // namespace throng
