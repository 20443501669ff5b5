// Moves a slow sink (a video encoder) off the detect thread.
#pragma once

#include <memory>

#include "core/base/stage_thread.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Passes results to the inner sink on a thread of its own. write blocks while there are 4 results, the one that is being
// written included, so no result is dropped. An exception of the inner sink is rethrown by the next write or by close.
class AsyncSink final : public ResultSink {
public:
    explicit AsyncSink(std::shared_ptr<ResultSink> inner)
        : inner_(std::move(inner)), thread_(3, [this](FrameResult& result) { inner_->write(result); }) {}

    void write(const FrameResult& result) override { thread_.push(result); }
    // Waits until the queued results are written, then closes the inner sink.
    void close() override;

private:
    std::shared_ptr<ResultSink> inner_;
    StageThread<FrameResult> thread_;  // last: it uses the sink
};

}  // namespace throng
