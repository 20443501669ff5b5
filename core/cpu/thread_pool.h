// A small pool of persistent threads, for work that is split into tasks many times per second.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace throng {

// run() may be called from one thread at a time. That thread takes part in the work as worker 0.
class ThreadPool {
public:
    // threads: 0 selects one thread per core.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int size() const noexcept { return static_cast<int>(helpers_.size()) + 1; }

    // Calls work(task, worker) for every task in [0, tasks), with worker in [0, size()). Tasks are handed out in order.
    // Returns when all are done. Allocates nothing. An exception thrown by a task skips the remaining tasks and is
    // rethrown here.
    template <class Work>
    void run(int tasks, Work&& work) {
        run_erased(
            tasks, [](void* context, int task, int worker) { (*static_cast<Work*>(context))(task, worker); },
            std::addressof(work));
    }

private:
    using Function = void (*)(void* context, int task, int worker);

    void run_erased(int tasks, Function function, void* context);
    void run_helper(const std::stop_token& stop, int worker);
    void run_tasks(int worker) noexcept;

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::condition_variable done_;
    std::uint64_t run_number_ = 0;  // number of the current run(); a helper joins each once
    int busy_ = 0;                  // helpers that have not finished this run()
    Function function_ = nullptr;
    void* context_ = nullptr;
    int tasks_ = 0;
    std::atomic<int> next_{0};
    std::exception_ptr failure_;
    std::vector<std::jthread> helpers_;  // last member: joined before what the threads use is destroyed
};

}  // namespace throng
