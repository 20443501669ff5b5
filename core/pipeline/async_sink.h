// Moves a slow sink (a video encoder) off the detect thread.
#pragma once

#include <memory>

#include "core/base/stage_thread.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Passes results to the inner sink on a thread of its own. While there are 4 results, the one that is being written
// included, write blocks, so no result is dropped; or it drops the oldest one that waits, for a sink that others may
// delay. An exception of the inner sink is rethrown by the next write or by close.
class AsyncSink final : public ResultSink {
public:
    explicit AsyncSink(std::shared_ptr<ResultSink> inner, bool drops = false)
        : inner_(std::move(inner)), drops_(drops), thread_(3, [this](FrameResult& result) { inner_->write(result); }) {}

    void write(const FrameResult& result) override { drops_ ? thread_.push_newest(result) : thread_.push(result); }
    // Waits until the queued results are written, then closes the inner sink.
    void close() override;

private:
    std::shared_ptr<ResultSink> inner_;
    const bool drops_;
    StageThread<FrameResult> thread_;  // last: it uses the sink
};

}  // namespace throng
