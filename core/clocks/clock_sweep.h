// Steps through clock profiles on a running video and measures the cost of frames at each: latency versus clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/clocks/async_clocks.h"
#include "core/clocks/telemetry.h"
#include "core/detect/stage.h"

namespace throng {

struct SweepPoint {
    std::string id;                    // of the profile
    std::optional<Hertz> clock;        // median of the GPU clocks measured meanwhile, or the profile's clock
    std::size_t frames = 0;            // number of measured frames
    std::map<std::string, double> ms;  // median of each stage; a stage that did not run has no entry
    std::optional<double> joules;      // per frame, if the power is known
    bool throttled = false;            // the board throttled the clock meanwhile
    std::string rejected;              // why there are no frames: the profile could not be applied
};

// Has no thread and no timer: the owner calls step from a timer and adds the frames. Not thread-safe.
class ClockSweep {
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Options {
        std::vector<std::string> ids;              // in the order of the sweep
        std::chrono::milliseconds settle{700};     // after a change, before frames count
        std::chrono::milliseconds dwell{3000};     // measuring time per profile
        std::chrono::milliseconds patience{5000};  // maximum duration of a change
    };
    explicit ClockSweep(Options options) : options_(std::move(options)) {}

    // Returns the profiles of a board that pin the clock to one step, each step once, slowest first.
    [[nodiscard]] static std::vector<std::string> ids_of(const std::vector<ResolvedProfile>& profiles);

    // Advances the sweep. Returns the profile id to request now, or "" to restore at the end, or nothing while waiting.
    [[nodiscard]] std::optional<std::string> step(Time now, const ClockStatus& clocks);
    // Add a measured frame, and a sample of the board.
    void add(const StageTimes& frame);
    void add(const TelemetrySample& sample);
    // Ends the sweep. The caller restores the clocks.
    void cancel() { state_ = State::done; }

    [[nodiscard]] bool done() const noexcept { return state_ == State::done; }
    [[nodiscard]] std::size_t position() const noexcept { return at_; }  // index in ids
    [[nodiscard]] std::size_t size() const noexcept { return options_.ids.size(); }
    [[nodiscard]] const std::vector<SweepPoint>& points() const noexcept { return points_; }

private:
    enum class State : std::uint8_t { next, applying, settling, measuring, done };
    void finish_point(const ClockStatus& clocks);

    const Options options_;
    State state_ = State::next;
    std::size_t at_ = 0;
    Time since_{};
    std::map<std::string, std::vector<double>> samples_;
    std::vector<double> clocks_;
    std::vector<double> joules_;
    std::size_t frames_ = 0;
    bool throttled_ = false;
    std::vector<SweepPoint> points_;
};

}  // namespace throng
