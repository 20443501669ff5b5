// A thread that processes values in order, one after the other: a stage of a pipeline.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/bounded_queue.h"

namespace throng {

// push and finish must be called from one thread at a time.
template <typename T>
class StageThread {
public:
    // capacity: maximum number of values that wait. work must not use this object.
    StageThread(std::size_t capacity, std::function<void(T&)> work)
        : queue_(capacity), work_(std::move(work)), thread_([this](const std::stop_token& stop) { run(stop); }) {}
    // Discards the values that wait, and waits for the one being processed.
    ~StageThread() = default;
    StageThread(const StageThread&) = delete;
    StageThread& operator=(const StageThread&) = delete;

    // Blocks while the queue is full. Rethrows what `work` threw for an earlier value; nothing may be pushed afterwards.
    void push(T value) {
        if (failed_.stop_requested() || !queue_.push(std::move(value), failed_.get_token())) finish();
    }
    // Waits until all values are processed. Rethrows what `work` threw.
    void finish() {
        queue_.close();
        if (thread_.joinable()) thread_.join();
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void run(const std::stop_token& stop) {
        try {
            T value;
            while (queue_.pop(value, stop) == PopStatus::value) {
                work_(value);
                value = {};  // frees its memory before the wait for the next one
            }
        } catch (...) {
            failure_ = std::current_exception();
            failed_.request_stop();
            queue_.clear();
        }
    }

    BoundedQueue<T> queue_;
    std::function<void(T&)> work_;
    std::exception_ptr failure_;  // of the thread; read after it ended
    std::stop_source failed_;
    std::jthread thread_;  // last member: joined before what it uses is destroyed
};

}  // namespace throng
