// The queues between threads, and the pause that a stop request ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/bounded_queue.h"
#include "core/base/latest_value.h"
#include "core/base/sleep.h"
#include "core/base/stage_thread.h"
#include "tests/support/random.h"

namespace throng {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr seconds kForever{3600};

std::stop_token stopped() {
    static std::stop_source source;
    source.request_stop();
    return source.get_token();
}

// Long enough that the other thread usually blocks by then. The tests are correct, but weaker, if it does not.
void let_block() {
    std::this_thread::sleep_for(milliseconds(5));
}

TEST(BoundedQueue, ReturnsValuesInOrderAndThenWaits) {
    BoundedQueue<int> queue(3);
    for (const int value : {1, 2, 3}) EXPECT_TRUE(queue.push(value));
    int value = 0;
    for (const int expected : {1, 2}) {
        EXPECT_EQ(queue.pop(value), PopStatus::value);
        EXPECT_EQ(value, expected);
    }
    EXPECT_FALSE(queue.empty());
    EXPECT_TRUE(queue.try_pop(value));
    EXPECT_EQ(value, 3);
    EXPECT_TRUE(queue.empty());
    EXPECT_FALSE(queue.try_pop(value));
    EXPECT_EQ(queue.pop(value, {}, milliseconds(1)), PopStatus::timeout);
    EXPECT_EQ(value, 3) << "unchanged without a value";
    EXPECT_EQ(queue.dropped(), 0U);
}

TEST(BoundedQueue, PushBlocksUntilThereIsRoom) {
    BoundedQueue<int> queue(2);
    std::atomic<int> pushed = 0;
    std::jthread producer([&] {
        for (int i = 0; i < 5; ++i) {
            queue.push(i);
            ++pushed;
        }
    });
    while (pushed < 2) std::this_thread::yield();
    let_block();
    EXPECT_EQ(pushed, 2);
    for (int i = 0; i < 5; ++i) {
        int value = -1;
        EXPECT_EQ(queue.pop(value), PopStatus::value);
        EXPECT_EQ(value, i);
    }
}

TEST(BoundedQueue, ReplaceDiscardsTheOldestOfAFullQueue) {
    BoundedQueue<int> queue(2);
    for (int i = 0; i < 5; ++i) queue.replace(i);
    EXPECT_EQ(queue.dropped(), 3U);
    int value = 0;
    EXPECT_TRUE(queue.try_pop(value));
    EXPECT_EQ(value, 3);
    EXPECT_TRUE(queue.try_pop(value));
    EXPECT_EQ(value, 4);
}

TEST(BoundedQueue, AStopRequestEndsEveryWait) {
    BoundedQueue<int> queue(1);
    int value = 0;
    {
        std::jthread consumer([&](const std::stop_token& stop) {
            EXPECT_EQ(queue.pop(value, stop), PopStatus::stopped);
            EXPECT_EQ(queue.pop(value, stop, kForever), PopStatus::stopped);
        });
        let_block();
    }
    queue.push(1);
    EXPECT_EQ(queue.pop(value, stopped()), PopStatus::stopped) << "a stop request comes before queued values";
    {
        std::jthread producer([&](const std::stop_token& stop) { EXPECT_FALSE(queue.push(2, stop)); });
        let_block();
    }
    EXPECT_TRUE(queue.try_pop(value));
    EXPECT_EQ(value, 1) << "the rejected value was not pushed";
    EXPECT_TRUE(queue.push(3, stopped())) << "there is room";
}

TEST(BoundedQueue, CloseIsReportedAfterTheValuesUntilItIsReverted) {
    BoundedQueue<int> queue(2);
    int value = 0;
    queue.push(7);
    queue.close();
    EXPECT_EQ(queue.pop(value), PopStatus::value);
    EXPECT_EQ(queue.pop(value), PopStatus::closed);
    EXPECT_EQ(queue.pop(value), PopStatus::closed) << "for every consumer, and again";
    queue.push(8);
    EXPECT_EQ(queue.pop(value), PopStatus::value);
    EXPECT_EQ(queue.pop(value, {}, milliseconds(0)), PopStatus::timeout) << "the push reverted it";
    queue.close();
    queue.replace(9);
    EXPECT_EQ(queue.pop(value), PopStatus::value);
    EXPECT_EQ(queue.pop(value, {}, milliseconds(0)), PopStatus::timeout) << "the replace reverted it";
    queue.close();
    queue.clear();
    EXPECT_EQ(queue.pop(value, {}, milliseconds(0)), PopStatus::timeout) << "the clear reverted it";

    std::jthread closer([&] {
        let_block();
        queue.close();
    });
    EXPECT_EQ(queue.pop(value), PopStatus::closed) << "a waiting consumer returns";
}

TEST(BoundedQueue, ReopenKeepsACloseThatFollowsValues) {
    BoundedQueue<int> queue(2);
    int value = 0;
    queue.close();
    EXPECT_EQ(queue.pop(value), PopStatus::closed);
    queue.reopen();
    EXPECT_EQ(queue.pop(value, {}, milliseconds(0)), PopStatus::timeout);
    queue.close();
    EXPECT_EQ(queue.pop(value), PopStatus::closed);
    queue.push(1);  // the producer continues and ends again before the consumer reopens
    queue.close();
    queue.reopen();
    EXPECT_EQ(queue.pop(value), PopStatus::value);
    EXPECT_EQ(queue.pop(value), PopStatus::closed);
}

TEST(BoundedQueue, WakeEndsOneWaitWithoutAValue) {
    BoundedQueue<int> queue(2);
    int value = 0;
    queue.wake();
    queue.wake();
    EXPECT_EQ(queue.pop(value), PopStatus::woken);
    EXPECT_EQ(queue.pop(value, {}, milliseconds(0)), PopStatus::timeout) << "several wakes count once";
    queue.push(1);
    queue.wake();
    EXPECT_EQ(queue.pop(value), PopStatus::value);
    EXPECT_EQ(queue.pop(value, {}, milliseconds(0)), PopStatus::timeout) << "the value reported it";
    queue.close();
    queue.wake();
    EXPECT_EQ(queue.pop(value), PopStatus::woken);
    EXPECT_EQ(queue.pop(value), PopStatus::closed);
    queue.clear();

    std::jthread waker([&] {
        let_block();
        queue.wake();
    });
    EXPECT_EQ(queue.pop(value), PopStatus::woken) << "a waiting consumer returns";
}

TEST(BoundedQueue, ClearDiscardsWithoutCountingAndMakesRoom) {
    BoundedQueue<std::shared_ptr<int>> queue(1);
    const auto shared = std::make_shared<int>(1);
    queue.push(shared);
    std::jthread producer([&] { queue.push(shared); });
    let_block();
    queue.clear();
    producer.join();
    std::shared_ptr<int> value;
    EXPECT_TRUE(queue.try_pop(value));
    EXPECT_EQ(queue.dropped(), 0U);
    EXPECT_EQ(shared.use_count(), 2) << "shared and value";
}

// A value whose destructor uses the queue, as a frame that releases its permit may do.
struct UsesQueue {
    BoundedQueue<UsesQueue>* queue = nullptr;
    explicit UsesQueue(BoundedQueue<UsesQueue>* q = nullptr) : queue(q) {}
    UsesQueue(UsesQueue&& other) noexcept : queue(std::exchange(other.queue, nullptr)) {}
    UsesQueue& operator=(UsesQueue&& other) noexcept {
        std::swap(queue, other.queue);
        return *this;
    }
    ~UsesQueue() {
        if (queue != nullptr) static_cast<void>(queue->empty());
    }
};

TEST(BoundedQueue, DestroysValuesOutsideTheLock) {
    BoundedQueue<UsesQueue> queue(1);
    UsesQueue value(&queue);
    queue.push(UsesQueue(&queue));
    EXPECT_EQ(queue.pop(value), PopStatus::value);
    queue.push(UsesQueue(&queue));
    queue.replace(UsesQueue(&queue));
    EXPECT_FALSE(queue.push(UsesQueue(&queue), stopped()));
    queue.clear();
    queue.push(UsesQueue(&queue));
    EXPECT_TRUE(queue.try_pop(value));
    EXPECT_TRUE(queue.empty());
}

// Every value arrives exactly once, and those of one producer in its order.
TEST(BoundedQueue, RandomProducersAndConsumersLoseNothing) {
    std::mt19937_64 random(test::seed(20261124));
    for (std::size_t run = 0; run < test::case_count(20); ++run) {
        const auto num_producers = static_cast<int>(random() % 3 + 1);
        const auto num_consumers = static_cast<int>(random() % 3 + 1);
        const auto num_values = static_cast<int>(random() % 500 + 1);
        BoundedQueue<std::pair<int, int>> queue(random() % 4 + 1);
        std::vector<std::vector<std::pair<int, int>>> popped(static_cast<std::size_t>(num_consumers));
        {
            std::vector<std::jthread> consumers;
            for (auto& values : popped) {
                consumers.emplace_back([&queue, &values] {
                    for (std::pair<int, int> value;;) {
                        const PopStatus status = queue.pop(value);
                        if (status == PopStatus::closed) return;
                        if (status == PopStatus::value) values.push_back(value);
                    }
                });
            }
            {
                std::vector<std::jthread> producers;
                for (int p = 0; p < num_producers; ++p) {
                    producers.emplace_back([&queue, p, num_values] {
                        for (int i = 0; i < num_values; ++i) {
                            queue.push({p, i});
                            if (i % 64 == 0) queue.wake();
                        }
                    });
                }
            }
            queue.close();
        }
        std::vector<std::pair<int, int>> all;
        for (const auto& values : popped) {
            std::vector<int> last(static_cast<std::size_t>(num_producers), -1);
            for (const auto& [producer, number] : values) {
                EXPECT_GT(number, std::exchange(last[static_cast<std::size_t>(producer)], number));
            }
            all.insert(all.end(), values.begin(), values.end());
        }
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
        EXPECT_EQ(all.size(), static_cast<std::size_t>(num_producers) * static_cast<std::size_t>(num_values));
    }
}

TEST(LatestValue, KeepsTheNewestAndCountsTheOthers) {
    LatestValue<int> latest;
    int value = 0;
    EXPECT_TRUE(latest.empty());
    for (const int i : {1, 2, 3}) latest.push(i);
    EXPECT_FALSE(latest.empty());
    EXPECT_EQ(latest.dropped(), 2U);
    EXPECT_EQ(latest.pop(value), PopStatus::value);
    EXPECT_EQ(value, 3);
    EXPECT_FALSE(latest.try_pop(value));
    latest.push(4);
    EXPECT_TRUE(latest.try_pop(value));
    EXPECT_EQ(value, 4);
    EXPECT_EQ(latest.dropped(), 2U) << "4 did not replace a value";
    EXPECT_EQ(latest.pop(value, stopped()), PopStatus::stopped);
    EXPECT_EQ(latest.pop(value, {}, milliseconds(1)), PopStatus::timeout);
    latest.push(5);
    latest.close();
    EXPECT_EQ(latest.pop(value), PopStatus::value);
    EXPECT_EQ(latest.pop(value), PopStatus::closed);
    latest.clear();
    EXPECT_EQ(latest.pop(value, {}, milliseconds(0)), PopStatus::timeout);
}

TEST(LatestValue, AFastProducerNeverDelaysNorReorders) {
    constexpr int kValues = 20000;
    LatestValue<int> latest;
    std::jthread producer([&] {
        for (int i = 1; i <= kValues; ++i) latest.push(i);
        latest.close();
    });
    int last = 0;
    std::uint64_t popped = 0;
    for (int value = 0; latest.pop(value) == PopStatus::value; ++popped) EXPECT_GT(value, std::exchange(last, value));
    EXPECT_EQ(last, kValues) << "the newest value is never lost";
    EXPECT_EQ(popped + latest.dropped(), static_cast<std::uint64_t>(kValues));
}

TEST(StageThread, ProcessesInOrderThroughSeveralStages) {
    constexpr int kValues = 2000;
    std::vector<int> processed;
    StageThread<int> second(2, [&](int& value) { processed.push_back(value); });
    StageThread<int> first(3, [&](int& value) { second.push(2 * value); });
    for (int i = 0; i < kValues; ++i) first.push(i);
    first.finish();
    second.finish();
    ASSERT_EQ(processed.size(), static_cast<std::size_t>(kValues));
    for (int i = 0; i < kValues; ++i) ASSERT_EQ(processed[static_cast<std::size_t>(i)], 2 * i);
}

TEST(StageThread, FailuresReachThePusherOfTheFirstStage) {
    std::atomic<int> processed = 0;
    StageThread<int> second(1, [&](int& value) {
        if (value == 5) throw std::runtime_error("value 5");
        ++processed;
    });
    StageThread<int> first(1, [&](int& value) { second.push(value); });
    const auto push_many = [&] {
        for (int i = 0; i < 1000; ++i) first.push(i);
    };
    EXPECT_THROW(push_many(), std::runtime_error);
    EXPECT_EQ(processed, 5) << "nothing is processed after a failure";
    EXPECT_THROW(first.finish(), std::runtime_error) << "the failure remains";

    StageThread<int> last(10, [](int&) { throw std::runtime_error("the last value"); });
    last.push(1);
    EXPECT_THROW(last.finish(), std::runtime_error);
}

TEST(StageThread, ProcessesWhatWaitsInBatches) {
    std::atomic<bool> all_pushed = false;
    std::vector<std::vector<int>> batches;
    StageThread<int> stage(9, 3, milliseconds(0), [&](std::vector<int>& batch) {
        while (!all_pushed) std::this_thread::yield();
        batches.push_back(batch);
    });
    for (int i = 0; i < 9; ++i) stage.push(i);
    all_pushed = true;
    stage.finish();
    std::vector<int> processed;
    for (const std::vector<int>& batch : batches) {
        EXPECT_LE(batch.size(), 3U);
        processed.insert(processed.end(), batch.begin(), batch.end());
    }
    EXPECT_EQ(processed, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_LE(batches.size(), 4U) << "only the first one may have begun before the others waited";
}

TEST(StageThread, EndsTheGatheringWhenItIsFinished) {
    std::vector<int> processed;
    StageThread<int> stage(3, 3, kForever, [&](std::vector<int>& batch) { processed = batch; });
    stage.push(1);
    stage.push(2);
    stage.finish();
    EXPECT_EQ(processed, (std::vector<int>{1, 2}));
}

TEST(StageThread, FailuresReachAllPushers) {
    StageThread<int> stage(1, [](int&) { throw std::runtime_error("the first value"); });
    std::atomic<int> failures = 0;
    {
        std::vector<std::jthread> pushers;
        for (int i = 0; i < 4; ++i) {
            pushers.emplace_back([&] {
                try {
                    for (;;) stage.push(1);
                } catch (const std::runtime_error&) {
                    ++failures;
                }
            });
        }
    }
    EXPECT_EQ(failures, 4);
}

TEST(StageThread, WaitsForTheValueBeingProcessedWhenDestroyed) {
    std::atomic<int> started = 0;
    std::atomic<int> processed = 0;
    {
        StageThread<int> stage(10, [&](int&) {
            ++started;
            let_block();
            ++processed;
        });
        for (int i = 0; i < 5; ++i) stage.push(i);
        while (started == 0) std::this_thread::yield();
    }
    EXPECT_EQ(processed, started) << "those that wait are discarded, not interrupted";
}

TEST(Sleep, EndsAtItsTimeOrAtAStopRequest) {
    const auto start = Clock::now();
    EXPECT_TRUE(sleep_for(milliseconds(20), {}));
    EXPECT_GE(Clock::now() - start, milliseconds(20));
    EXPECT_TRUE(sleep_until(start, {})) << "a time in the past";
    EXPECT_FALSE(sleep_until(start + kForever, stopped()));
    std::jthread sleeper([](const std::stop_token& stop) { EXPECT_FALSE(sleep_for(kForever, stop)); });
    let_block();
}  // the destructor of the thread requests the stop

}  // namespace
}  // namespace throng
