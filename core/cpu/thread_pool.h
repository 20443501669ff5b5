// A small pool of persistent threads, for work that is split into tasks many times per second.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>

namespace throng {

// run() may be called from one thread at a time. That thread takes part in the work as worker 0. A pool may be used and
// destroyed in a forked process, too, unless another thread was in run() at that time: the first run() there starts new
// threads.
class ThreadPool {
public:
    // threads: 0 selects one thread per core.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int size() const noexcept { return size_; }

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
    struct Helpers;

    void run_erased(int tasks, Function function, void* context);
    void run_helper(Helpers& helpers, const std::stop_token& stop, int worker);
    void run_tasks(int worker) noexcept;
    void start_helpers();
    void leave_copied_helpers() noexcept;

    const int size_;
    Function function_ = nullptr;
    void* context_ = nullptr;
    int tasks_ = 0;
    std::atomic<int> next_{0};
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
    std::uint32_t forks_ = 0;           // fork_count() of the process in which the helpers run
    std::unique_ptr<Helpers> helpers_;  // last member: joined before what the threads use is destroyed
};

}  // namespace throng
