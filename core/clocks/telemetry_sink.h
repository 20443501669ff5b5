// Passes every frame of a pipeline to Telemetry, whose samples then include the time and energy per frame.
#pragma once

#include <memory>
#include <utility>

#include "core/clocks/telemetry.h"
#include "core/pipeline/frame_result.h"

namespace throng {

class TelemetrySink final : public ResultSink {
public:
    explicit TelemetrySink(std::shared_ptr<Telemetry> telemetry) : telemetry_(std::move(telemetry)) {}

    void write(const FrameResult& result) override { telemetry_->add_frame(result.timings); }
    void close() override {}

private:
    std::shared_ptr<Telemetry> telemetry_;
};

}  // namespace throng
