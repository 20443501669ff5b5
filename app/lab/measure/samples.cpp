#include "app/lab/measure/samples.h"

#include <algorithm>

#include "core/base/rolling.h"

namespace throng {

double Samples::percentile(double fraction) const {
    std::vector<double> ascending = ms_;
    std::sort(ascending.begin(), ascending.end());
    return throng::percentile(ascending, fraction);
}

void RunTimes::add(double ms, const StageTimes& times) {
    total.add(ms);
    for (const StageTime& time : times) {
        auto found = std::find_if(stages.begin(), stages.end(), [&](const auto& s) { return s.first == time.name; });
        if (found == stages.end()) found = stages.insert(stages.end(), {std::string(time.name), {}});
        found->second.add(time.ms);
    }
}

std::optional<double> RunTimes::stage_median(std::string_view name) const {
    const auto found = std::find_if(stages.begin(), stages.end(), [&](const auto& s) { return s.first == name; });
    return found == stages.end() ? std::nullopt : std::optional(found->second.median());
}

int repeats_within(double budget_ms, double once_ms) {
    return std::clamp(static_cast<int>(budget_ms / std::max(once_ms, 1e-3)), 5, 2000);
}

}  // namespace throng
