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

// Results wait in a bounded queue for a thread of their own; write blocks while it is full, so nothing is lost.
// What the inner sink throws comes out of the next write or of close.
class AsyncSink final : public ResultSink {
public:
    explicit AsyncSink(std::shared_ptr<ResultSink> inner, std::size_t capacity = 4);
    ~AsyncSink() override;

    void write(const FrameResult& result) override;
    // Waits for what is queued, then closes the inner sink.
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
