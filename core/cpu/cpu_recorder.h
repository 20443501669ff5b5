// Stage times by the steady clock, known as soon as the frame ends.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "core/detect/stage.h"

namespace throng {

// A stage that runs several times in a frame counts with the sum.
class CpuRecorder final : public StageRecorder {
public:
    void begin(std::string_view name) override;
    void end(std::string_view name) override;
    void add(std::string_view name, double ms) override;
    const StageTimes& end_frame() override;

private:
    using Clock = std::chrono::steady_clock;

    std::vector<std::pair<std::string_view, Clock::time_point>> open_;
    StageTimes current_;
    StageTimes finished_;
};

}  // namespace throng
