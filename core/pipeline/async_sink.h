// Moves a slow sink (a video encoder) off the detect thread.
#pragma once

#include <exception>
#include <memory>
#include <stop_token>
#include <thread>

#include "core/base/bounded_queue.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Queues results for a dedicated thread that passes them to the inner sink. write blocks while there are 4 results, the
// one that is being written included, so no result is dropped. An exception of the inner sink is rethrown by the next
// write or by close.
class AsyncSink final : public ResultSink {
public:
    explicit AsyncSink(std::shared_ptr<ResultSink> inner);
    ~AsyncSink() override;

    void write(const FrameResult& result) override;
    // Waits until the queued results are written, then closes the inner sink.
    void close() override;

private:
    void work();
    void finish_thread();

    std::shared_ptr<ResultSink> inner_;
    BoundedQueue<FrameResult> queue_{3};
    std::exception_ptr failure_;  // set by the thread before it requests failed_
    std::stop_source failed_;
    std::thread thread_;  // last: it uses all the others
};

}  // namespace throng
