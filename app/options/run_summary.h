// What a detection run did, gathered over all its sources, and its final table.
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

// A sink, so that it sees every result. frames() may be asked for while results are written.
class RunSummary final : public ResultSink {
public:
    RunSummary();

    void write(const FrameResult& result) override;
    void close() override {}

    // Counters of a pipeline that is over.
    void add(const PipelineCounters& counters);

    [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
    // Stages with last, mean, p50, p99 and max in milliseconds.
    [[nodiscard]] TextTable stages() const;
    // The same and the counts, as one object: {"frames":…,"seconds":…,"fps":…,…,"stages":{"decode":{"last":…,…},…}}.
    [[nodiscard]] nlohmann::ordered_json json(double seconds) const;
    // The table, then one line of counts and frames a second. finds: what the detector finds, "faces".
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
