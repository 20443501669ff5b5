// Passes the results of a file on with tracks that are linked with what comes after them.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "core/track/relink_queue.h"

namespace throng {

// Results wait until their tracks are decided, up to a minute of the source, without their pixels: the inner sinks must
// read none. The results need PipelineSettings::tracking.
class RelinkSink final : public ResultSink {
public:
    explicit RelinkSink(std::vector<std::shared_ptr<ResultSink>> inner) : inner_(std::move(inner)) {}

    void write(const FrameResult& result) override;
    // Passes all results on and closes the inner sinks.
    void close() override;

private:
    void pass_on();

    std::vector<std::shared_ptr<ResultSink>> inner_;
    RelinkQueue queue_;
    std::deque<FrameResult> waiting_;
    std::set<std::string, std::less<>> names_;  // of the timings, whose owner may not live as long
};

}  // namespace throng
