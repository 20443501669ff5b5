// Totals of a detection run over all its sources, and the final table.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/options/table.h"
#include "core/pipeline/frame_result.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/stage_statistics.h"

namespace throng {

// Returns last, mean, p50, p99 and max of each stage in milliseconds.
[[nodiscard]] TextTable stage_table(const std::vector<StageSummary>& stages);
// Returns the same and the count of samples: {"decode":{"last":…,…},…}.
[[nodiscard]] nlohmann::ordered_json stage_json(const std::vector<StageSummary>& stages);

// A sink that accumulates every result. frames() may be called while results are written.
class RunSummary final : public ResultSink {
public:
    RunSummary();

    void write(const FrameResult& result) override;
    void close() override {}

    // Adds the counters of a pipeline that has ended.
    void add(const PipelineCounters& counters);

    [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
    // Returns counts and stages as one object:
    // {"frames":…,"seconds":…,"fps":…,…,"stages":{"decode":{"last":…,…},…}}.
    [[nodiscard]] nlohmann::ordered_json json(double seconds) const;
    // Returns the table, then one line of counts and frames per second. finds: what the detector finds, "faces".
    [[nodiscard]] std::string text(double seconds, std::string_view finds) const;

private:
    [[nodiscard]] double rate(double seconds) const;

    StageStatistics statistics_;
    std::atomic<std::uint64_t> frames_ = 0;
    std::uint64_t raw_ = 0;
    std::uint64_t kept_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t overflowed_ = 0;
};

}  // namespace throng
