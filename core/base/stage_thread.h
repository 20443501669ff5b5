// A thread that processes values in order, one after the other: a stage of a pipeline.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/bounded_queue.h"

namespace throng {

// push may be called from several threads at a time, finish after the last push.
template <typename T>
class StageThread {
public:
    // capacity: maximum number of values that wait. work must not use this object.
    StageThread(std::size_t capacity, std::function<void(T&)> work)
        : StageThread(capacity, 1, {}, [work = std::move(work)](std::vector<T>& batch) { work(batch.front()); }) {}
    // Processes up to `most` values at once: those that come within `gather` of the first one, and those that wait then.
    StageThread(std::size_t capacity, std::size_t most, std::chrono::milliseconds gather,
                std::function<void(std::vector<T>& batch)> work)
        : queue_(capacity),
          most_(most),
          gather_(gather),
          work_(std::move(work)),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}
    // Discards the values that wait, and waits for the one being processed.
    ~StageThread() = default;
    StageThread(const StageThread&) = delete;
    StageThread& operator=(const StageThread&) = delete;

    // Blocks while the queue is full. Rethrows what `work` threw for an earlier value; nothing may be pushed afterwards.
    void push(T value) {
        if (failed_.stop_requested() || !queue_.push(std::move(value), failed_.get_token())) finish();
    }
    // Never blocks: if the queue is full, its oldest value is discarded. Rethrows as push.
    void push_newest(T value) {
        if (failed_.stop_requested()) finish();
        queue_.replace(std::move(value));
    }
    // Returns the number of values that push_newest discarded.
    [[nodiscard]] std::uint64_t dropped() const { return queue_.dropped(); }
    // Waits until all values are processed, without gathering more. Rethrows what `work` threw.
    void finish() {
        queue_.close();
        {
            const std::lock_guard lock(join_mutex_);
            if (thread_.joinable()) thread_.join();
        }
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void run(const std::stop_token& stop) {
        try {
            std::vector<T> batch(1);
            while (queue_.pop(batch.front(), stop) == PopStatus::value) {
                const auto end = std::chrono::steady_clock::now() + gather_;
                T next;
                while (batch.size() < most_ &&
                       queue_.pop(next, stop, end - std::chrono::steady_clock::now()) == PopStatus::value) {
                    batch.push_back(std::move(next));
                }
                work_(batch);
                batch.clear();  // frees its memory before the wait for the next one
                batch.resize(1);
            }
        } catch (...) {
            failure_ = std::current_exception();
            failed_.request_stop();
            queue_.clear();
        }
    }

    BoundedQueue<T> queue_;
    const std::size_t most_;
    const std::chrono::milliseconds gather_;
    std::function<void(std::vector<T>&)> work_;
    std::exception_ptr failure_;  // of the thread; read after it ended
    std::stop_source failed_;
    std::mutex join_mutex_;
    std::jthread thread_;  // last member: joined before what it uses is destroyed
};

}  // namespace throng
