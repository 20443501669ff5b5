#include "core/cpu/thread_pool.h"

#include <algorithm>

namespace throng {

ThreadPool::ThreadPool(int threads) {
    const int requested = threads > 0 ? threads : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
    for (int worker = 1; worker < std::min(requested, 256); ++worker) {
        helpers_.emplace_back([this, worker](const std::stop_token& stop) { run_helper(stop, worker); });
    }
}

ThreadPool::~ThreadPool() {
    for (std::jthread& helper : helpers_) helper.request_stop();
}

void ThreadPool::run_erased(int tasks, Function function, void* context) {
    function_ = function;
    context_ = context;
    tasks_ = tasks;
    next_ = 0;
    failure_ = nullptr;
    const bool alone = tasks < 2 || helpers_.empty();
    if (!alone) {
        {
            const std::lock_guard lock(mutex_);
            ++run_number_;
            busy_ = static_cast<int>(helpers_.size());
        }
        wake_.notify_all();
    }
    run_tasks(0);
    if (!alone) {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
    }
    if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::run_helper(const std::stop_token& stop, int worker) {
    std::uint64_t seen = 0;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [&] { return run_number_ != seen; })) return;
            seen = run_number_;
        }
        run_tasks(worker);
        {
            const std::lock_guard lock(mutex_);
            --busy_;
        }
        done_.notify_one();
    }
}

void ThreadPool::run_tasks(int worker) noexcept {
    for (int task = next_++; task < tasks_; task = next_++) {
        try {
            function_(context_, task, worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            next_ = tasks_;
        }
    }
}

}  // namespace throng
