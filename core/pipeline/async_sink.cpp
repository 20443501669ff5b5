#include "core/pipeline/async_sink.h"

#include <utility>

namespace throng {

AsyncSink::AsyncSink(std::shared_ptr<ResultSink> inner) : inner_(std::move(inner)), thread_([this] { work(); }) {}

AsyncSink::~AsyncSink() {
    finish_thread();
}

void AsyncSink::write(const FrameResult& result) {
    if (failed_.stop_requested() || !queue_.push(result, failed_.get_token())) std::rethrow_exception(failure_);
}

void AsyncSink::close() {
    finish_thread();
    inner_->close();
    if (failure_) std::rethrow_exception(failure_);
}

void AsyncSink::finish_thread() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

void AsyncSink::work() {
    try {
        FrameResult result;
        while (queue_.pop(result) == PopStatus::value) {
            inner_->write(result);
            result = {};  // frees the frame before the wait for the next one
        }
    } catch (...) {
        failure_ = std::current_exception();
        failed_.request_stop();
        queue_.clear();
    }
}

}  // namespace throng
