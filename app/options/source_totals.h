// Totals of one source of a run over several sources.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/options/table.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// A sink that counts the results of one pipeline.
class SourceTotals final : public ResultSink {
public:
    // number: position of the source on the command line, from 1.
    SourceTotals(std::string name, int number) : name_(std::move(name)), number_(number), start_(Clock::now()) {}

    void write(const FrameResult& result) override {
        ++frames_;
        kept_ += result.kept.detections.size();
        raw_ += raw_counts(result).found;
        last_ = Clock::now();
    }
    void close() override {}
    void set_details(std::string details) { details_ = std::move(details); }  // SourceInfo::details at the end
    void set_dropped(std::uint64_t dropped) { dropped_ = dropped; }
    // reason: what is missing from the source (see VideoSource::incomplete).
    void set_incomplete(std::string reason) { incomplete_ = std::move(reason); }

    // Return one row or object per source. The pipelines of the sources must have ended.
    [[nodiscard]] static TextTable table(const std::vector<std::shared_ptr<SourceTotals>>& sources);
    [[nodiscard]] static nlohmann::ordered_json json(const std::vector<std::shared_ptr<SourceTotals>>& sources);

private:
    using Clock = std::chrono::steady_clock;

    std::string name_;
    int number_;
    std::string details_;
    std::string incomplete_;
    Clock::time_point start_;
    Clock::time_point last_ = start_;
    std::uint64_t frames_ = 0;
    std::uint64_t kept_ = 0;
    std::uint64_t raw_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace throng
