#include "core/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/support/forked.h"

namespace throng {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.size(), threads);
        for (const int tasks : {0, 1, 2, 100}) {
            std::vector<int> done(static_cast<std::size_t>(tasks), 0);
            pool.run(tasks, [&](int task, int worker) {
                EXPECT_GE(worker, 0);
                EXPECT_LT(worker, threads);
                ++done[static_cast<std::size_t>(task)];
            });
            EXPECT_EQ(std::count(done.begin(), done.end(), 1), tasks) << threads << " threads";
        }
    }
}

TEST(ThreadPool, RethrowsAnExceptionOfATaskAndRemainsUsable) {
    ThreadPool pool(3);
    EXPECT_THROW(pool.run(50,
                          [](int task, int) {
                              if (task == 7) throw std::runtime_error("seven");
                          }),
                 std::runtime_error);
    int done = 0;
    pool.run(1, [&](int, int) { ++done; });
    EXPECT_EQ(done, 1);
}

// The helpers of a pool that was made before do not exist in a forked process: it would wait for them for ever.
TEST(ThreadPool, WorksInAForkedProcess) {
    if (test::kThreadSanitizer) GTEST_SKIP() << "skipped: no threads after fork with this sanitizer";
    const auto works = [](ThreadPool& pool) {
        for (const int tasks : {1, 2, 100}) {
            std::vector<int> done(static_cast<std::size_t>(tasks), 0);
            pool.run(tasks, [&](int task, int) { ++done[static_cast<std::size_t>(task)]; });
            EXPECT_EQ(std::count(done.begin(), done.end(), 1), tasks);
        }
    };
    for (const bool used : {false, true}) {
        auto pool = std::make_unique<ThreadPool>(3);
        if (used) works(*pool);
        EXPECT_TRUE(test::holds_in_fork([&] {
            EXPECT_EQ(pool->size(), 3);
            works(*pool);
            works(*pool);
            EXPECT_TRUE(test::holds_in_fork([&] {
                works(*pool);
                pool.reset();
            }));
            works(*pool);
            pool.reset();
        })) << (used ? "used" : "unused");
        EXPECT_TRUE(test::holds_in_fork([&] { pool.reset(); })) << (used ? "used" : "unused");
        works(*pool);
    }
}

}  // namespace
}  // namespace throng
