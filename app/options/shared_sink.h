// One output for several pipelines at once.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "core/pipeline/frame_result.h"

namespace throng {

// Lets one pipeline write at a time: results of a source stay in order, those of several sources take turns. Closed by
// whoever made it, not by the pipelines: give each a SharedSink of its own over the same Shared.
class SharedSink final : public ResultSink {
public:
    struct Shared {
        explicit Shared(std::shared_ptr<ResultSink> to) : sink(std::move(to)) {}
        std::shared_ptr<ResultSink> sink;
        std::mutex mutex;
    };

    explicit SharedSink(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

    void write(const FrameResult& result) override {
        const std::lock_guard lock(shared_->mutex);
        shared_->sink->write(result);
    }
    void close() override {}

private:
    std::shared_ptr<Shared> shared_;
};

}  // namespace throng
