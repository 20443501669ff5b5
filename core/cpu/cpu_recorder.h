// Stage times by the steady clock, available as soon as the frame ends.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "core/detect/stage.h"

namespace throng {

// The times of a stage that runs several times per frame are summed.
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
