#include "core/pipeline/async_sink.h"

#include <utility>

namespace throng {

AsyncSink::AsyncSink(std::shared_ptr<ResultSink> inner, std::size_t capacity)
    : inner_(std::move(inner)), capacity_(capacity), thread_([this] { work(); }) {}

AsyncSink::~AsyncSink() {
    finish_thread();
}

void AsyncSink::write(const FrameResult& result) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < capacity_ || failure_; });
    if (failure_) std::rethrow_exception(failure_);
    queue_.push_back(result);
    changed_.notify_all();
}

void AsyncSink::close() {
    finish_thread();
    inner_->close();
    if (failure_) std::rethrow_exception(failure_);
}

void AsyncSink::finish_thread() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void AsyncSink::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !queue_.empty() || closing_; });
        if (queue_.empty()) return;
        // The result remains in the queue while it is written, so that it counts against the capacity.
        const FrameResult& result = queue_.front();
        lock.unlock();
        std::exception_ptr failure;
        try {
            inner_->write(result);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        queue_.pop_front();
        if (failure) {
            failure_ = failure;
            queue_.clear();
            changed_.notify_all();
            return;
        }
        changed_.notify_all();
    }
}

}  // namespace throng
