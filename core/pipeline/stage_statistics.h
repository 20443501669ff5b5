// Rolling statistics of every stage that ran, in pipeline order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/rolling.h"
#include "core/detect/stage.h"

namespace throng {

struct StageSummary {
    std::string name;
    RollingSummary ms;
};

// Not thread-safe.
class StageStatistics {
public:
    explicit StageStatistics(std::size_t window) : window_(window) {}

    void add(const StageTimes& times);
    void clear() { stages_.clear(); }
    [[nodiscard]] std::vector<StageSummary> summaries() const;

private:
    struct Entry {
        std::string name;
        RollingStatistics statistics;
    };
    RollingStatistics& find(std::string_view name);

    std::size_t window_;
    std::vector<Entry> stages_;
};

}  // namespace throng
