#include "ui/session/network_trial.h"

#include <algorithm>

namespace throng::ui {
namespace {

// The sum of the stages: with several frames in flight, the total would contain the time of the others.
double detection_ms(const FrameResult& result) {
    double sum = 0;
    for (const StageTime& time : result.timings) {
        if (time.name != stage::kDecode && time.name != stage::kTotal) sum += time.ms;
    }
    return sum;
}

}  // namespace

void NetworkTrial::restart() {
    skipped_ = 0;
    times_.clear();
}

std::optional<double> NetworkTrial::add(const FrameResult& result) {
    if (skipped_ < kSkipped) {
        ++skipped_;
        return std::nullopt;
    }
    times_.push_back(detection_ms(result));
    if (times_.size() < kMeasured) return std::nullopt;
    const auto middle = times_.begin() + kMeasured / 2;
    std::nth_element(times_.begin(), middle, times_.end());
    return *middle;
}

}  // namespace throng::ui
