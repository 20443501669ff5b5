// Moves a slow sink (a video encoder) off the detect thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "core/pipeline/frame_result.h"

namespace throng {

// Queues results in a bounded queue that a dedicated thread passes to the inner sink. write blocks while the queue is
// full, so no result is dropped. An exception of the inner sink is rethrown by the next write or by close.
class AsyncSink final : public ResultSink {
public:
    explicit AsyncSink(std::shared_ptr<ResultSink> inner, std::size_t capacity = 4);
    ~AsyncSink() override;

    void write(const FrameResult& result) override;
    // Waits until the queued results are written, then closes the inner sink.
    void close() override;

private:
    void work();
    void finish_thread();

    std::shared_ptr<ResultSink> inner_;
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<FrameResult> queue_;
    std::exception_ptr failure_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace throng
