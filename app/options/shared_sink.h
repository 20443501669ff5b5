// One output shared by several concurrent pipelines.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "core/pipeline/frame_result.h"

namespace throng {

// Serializes the writes of several pipelines. Results of one source stay in order; those of several sources are
// interleaved. Every pipeline has its own SharedSink over the same Shared. close() does nothing: the owner of the
// Shared closes the sink.
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
