#include "core/cpu/thread_pool.h"

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <vector>

#include "core/base/forks.h"
#include "core/base/resources.h"

namespace throng {

// What exists only together with its threads, and is left behind in a forked process.
struct ThreadPool::Helpers {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable done;
    std::uint64_t run_number = 0;       // number of the current run(); a helper joins each once
    int busy = 0;                       // helpers that have not finished this run()
    std::vector<std::jthread> threads;  // last member: joined before what the threads use is destroyed

    ~Helpers() {
        for (std::jthread& thread : threads) thread.request_stop();
    }
};

ThreadPool::ThreadPool(int threads) : size_(std::clamp(threads > 0 ? threads : cpu_cores(), 1, 256)) {
    start_helpers();
}

ThreadPool::~ThreadPool() {
    leave_copied_helpers();
}

void ThreadPool::start_helpers() {
    if (size_ < 2) return;
    auto helpers = std::make_unique<Helpers>();
    for (int worker = 1; worker < size_; ++worker) {
        helpers->threads.emplace_back(
            [this, shared = helpers.get(), worker](const std::stop_token& stop) { run_helper(*shared, stop, worker); });
    }
    forks_ = fork_count();
    helpers_ = std::move(helpers);
}

// The threads of a copy cannot be joined, and its locks may be locked.
void ThreadPool::leave_copied_helpers() noexcept {
    if (helpers_ && forks_ != fork_count()) static_cast<void>(helpers_.release());
}

void ThreadPool::run_erased(int tasks, Function function, void* context) {
    function_ = function;
    context_ = context;
    tasks_ = tasks;
    next_ = 0;
    failure_ = nullptr;
    const bool alone = tasks < 2 || size_ < 2;
    if (!alone) {
        leave_copied_helpers();
        if (!helpers_) start_helpers();
        {
            const std::lock_guard lock(helpers_->mutex);
            ++helpers_->run_number;
            helpers_->busy = static_cast<int>(helpers_->threads.size());
        }
        helpers_->wake.notify_all();
    }
    run_tasks(0);
    if (!alone) {
        std::unique_lock lock(helpers_->mutex);
        helpers_->done.wait(lock, [this] { return helpers_->busy == 0; });
    }
    if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::run_helper(Helpers& helpers, const std::stop_token& stop, int worker) {
    std::uint64_t seen = 0;
    while (true) {
        {
            std::unique_lock lock(helpers.mutex);
            if (!helpers.wake.wait(lock, stop, [&] { return helpers.run_number != seen; })) return;
            seen = helpers.run_number;
        }
        run_tasks(worker);
        {
            const std::lock_guard lock(helpers.mutex);
            --helpers.busy;
        }
        helpers.done.notify_one();
    }
}

void ThreadPool::run_tasks(int worker) noexcept {
    for (int task = next_++; task < tasks_; task = next_++) {
        try {
            function_(context_, task, worker);
        } catch (...) {
            const std::lock_guard lock(failure_mutex_);
            if (!failure_) failure_ = std::current_exception();
            next_ = tasks_;
        }
    }
}

}  // namespace throng
