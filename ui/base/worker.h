// A thread of its own for an object of the window: the newest request wins, and answers come on the window's thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "ui/base/post.h"

namespace throng::ui {

// Closed, it has no thread. Only push may be called on any thread. Requests of several lanes, as for the tiles of a wall,
// take turns; a lane holds one request that waits, and one answer that the window has not received: newer ones replace
// them.
template <typename Request, typename Answer>
class Worker {
    struct Lane {
        std::optional<Request> request;
        std::optional<std::pair<Answer, Message>> answer;
        int clears = 0;  // an answer to a request from before is dropped
    };
    struct Run {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::vector<Lane> lanes;
        bool posted = false;
        bool closed = false;              // window's thread only
        std::atomic<bool> ended = false;  // the work was destroyed
        std::jthread thread;
    };

public:
    // One request, for the work on it.
    class Job {
    public:
        [[nodiscard]] const std::stop_token& stop() const { return stop_; }  // requested when the worker is closed
        [[nodiscard]] std::size_t lane() const { return lane_; }
        // A newer request waits, or nobody waits for the answer.
        [[nodiscard]] bool superseded() const {
            const std::lock_guard lock(run_->mutex);
            return is_superseded();
        }
        // Waits until this time. Returns false as soon as the request is superseded.
        [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point time) const {
            std::unique_lock lock(run_->mutex);
            run_->wake.wait_until(lock, stop_, time, [this] { return is_superseded(); });
            return !is_superseded();
        }
        void report(Answer answer) const { worker_.report(*this, std::move(answer), {}); }

    private:
        friend Worker;
        Job(Worker& worker, const std::shared_ptr<Run>& run, const std::stop_token& stop, std::size_t lane)
            : worker_(worker), run_(run), stop_(stop), lane_(lane), clears_(run->lanes[lane].clears) {}
        [[nodiscard]] bool is_superseded() const {
            const Lane& lane = run_->lanes[lane_];
            return stop_.stop_requested() || lane.request || lane.clears != clears_;
        }

        Worker& worker_;
        std::shared_ptr<Run> run_;
        const std::stop_token& stop_;
        std::size_t lane_;
        int clears_;
    };
    // problem: what the work threw; empty: there is an answer.
    using Receive = std::function<void(Answer answer, const Message& problem)>;

    // receive is called on the thread of `owner`, which outlives the worker.
    Worker(QObject* owner, Receive receive, std::size_t lanes = 1)
        : owner_(owner), receive_(std::move(receive)), lanes_(lanes) {}
    // Waits for all threads.
    ~Worker() {
        close();
        for (const auto& run : ending_) run->thread.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    [[nodiscard]] bool is_open() const { return run_ != nullptr; }
    // Starts a thread, which calls work(Request&, const Job&) for each request and destroys `work` in the end. It
    // reports no answer, one, or several; an exception becomes an answer.
    template <typename Work>
    void open(Work work) {
        close();
        std::erase_if(ending_, [](const auto& run) {
            if (!run->ended) return false;
            run->thread.join();
            return true;
        });
        run_ = std::make_shared<Run>();
        run_->lanes = std::vector<Lane>(lanes_);
        run_->thread = std::jthread([this, run = run_, work = std::move(work)](const std::stop_token& stop) mutable {
            work_on(run, std::move(work), stop);
            run->ended = true;
        });
    }
    // Nobody waits: the thread ends with its request, or earlier if the work heeds `stop`.
    void close() {
        if (!run_) return;
        run_->closed = true;
        run_->thread.request_stop();
        ending_.push_back(std::exchange(run_, nullptr));
    }
    // Ignored while the worker is closed.
    void push(Request request, std::size_t lane = 0) {
        change(lane, [&](Lane& to) { to.request = std::move(request); });
    }
    // Forgets the requests of the lane: none of them is answered.
    void clear(std::size_t lane = 0) {
        change(lane, [](Lane& to) { to = {{}, {}, to.clears + 1}; });
    }

private:
    template <typename Change>
    void change(std::size_t lane, Change change) {
        if (!run_) return;
        {
            const std::lock_guard lock(run_->mutex);
            change(run_->lanes[lane]);
        }
        run_->wake.notify_all();
    }

    template <typename Work>
    void work_on(const std::shared_ptr<Run>& run, Work work, const std::stop_token& stop) {
        std::size_t lane = 0;
        while (true) {
            std::unique_lock lock(run->mutex);
            const auto find = [&] {
                for (std::size_t i = 1; i <= lanes_; ++i) {
                    const std::size_t next = (lane + i) % lanes_;
                    if (!run->lanes[next].request) continue;
                    lane = next;
                    return true;
                }
                return false;
            };
            if (!run->wake.wait(lock, stop, find) || stop.stop_requested()) return;
            Request request = *std::exchange(run->lanes[lane].request, {});
            const Job job(*this, run, stop, lane);
            lock.unlock();
            try {
                work(request, job);
            } catch (...) {
                report(job, {}, current_error().message());
            }
        }
    }

    void report(const Job& job, Answer answer, Message problem) {
        Run& run = *job.run_;
        {
            const std::lock_guard lock(run.mutex);
            Lane& lane = run.lanes[job.lane_];
            if (job.stop_.stop_requested() || lane.clears != job.clears_) return;
            lane.answer.emplace(std::move(answer), std::move(problem));
            if (std::exchange(run.posted, true)) return;
        }
        post(owner_, [this, run = job.run_] { deliver(*run); });
    }

    void deliver(Run& run) {
        for (std::size_t i = 0; !run.closed && i < run.lanes.size(); ++i) {
            std::optional<std::pair<Answer, Message>> answer;
            {
                const std::lock_guard lock(run.mutex);
                run.posted = false;
                std::swap(answer, run.lanes[i].answer);
            }
            if (answer) receive_(std::move(answer->first), answer->second);
        }
    }

    QObject* owner_;
    Receive receive_;
    std::size_t lanes_;
    std::shared_ptr<Run> run_;                  // null: closed
    std::vector<std::shared_ptr<Run>> ending_;  // closed; their threads may still work
};

}  // namespace throng::ui
