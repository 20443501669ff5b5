// Decides whether a network becomes the detector that nobody has chosen: it detects a few frames, and remains in use
// if the machine is fast enough. Decides once per run, so that the detector does not change again and again.
#pragma once

#include <optional>
#include <vector>

#include "core/pipeline/frame_result.h"

namespace throng::ui {

class NetworkTrial {
public:
    // due: there is something to decide.
    explicit NetworkTrial(bool due) : state_(due ? State::due : State::done) {}

    [[nodiscard]] bool due() const { return state_ == State::due; }
    [[nodiscard]] bool measuring() const { return state_ == State::measuring; }
    void start() { state_ = State::measuring; }
    void restart();  // another source
    void end() { state_ = State::done; }

    // Adds a detected frame of the network. Returns the median of the milliseconds per frame once it is known.
    [[nodiscard]] std::optional<double> add(const FrameResult& result);

    static constexpr int kSkipped = 5;   // frames of the previous detector that were in flight, and warm-up
    static constexpr int kMeasured = 5;  // frames

private:
    enum class State { due, measuring, done };

    State state_;
    int skipped_ = 0;
    std::vector<double> times_;
};

}  // namespace throng::ui
