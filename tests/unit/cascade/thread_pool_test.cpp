#include "core/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

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

}  // namespace
}  // namespace throng
