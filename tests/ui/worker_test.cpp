// Tests the thread behind a view: which requests it works on, and which answers arrive.
#include "ui/base/worker.h"

#include <gtest/gtest.h>

#include <QObject>
#include <semaphore>
#include <string>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/ui/wait.h"

namespace throng::ui {
namespace {

// Works on a request only after `allow`; answers with the request itself.
class WorkerTest : public testing::Test {
protected:
    using Echo = Worker<int, int>;

    void open(std::size_t lanes = 1) {
        worker_.emplace(
            &owner_,
            [this](int answer, const Message& problem) {
                answers_ += problem.empty() ? std::to_string(answer) + ' ' : problem.text() + ' ';
            },
            lanes);
        worker_->open([this](int request, const Echo::Job& job) {
            ++begun_;
            allowed_.acquire();
            if (request < 0) throw Error(ErrorKind::input, "negative");
            job.report(request);
            ++done_;
        });
    }
    bool wait_for_begun(int count) {
        return test::eventually([&] { return begun_ >= count; });
    }

    std::counting_semaphore<> allowed_{0};
    std::atomic<int> begun_ = 0, done_ = 0;
    std::string answers_;
    QObject owner_;
    std::optional<Echo> worker_;
};

TEST_F(WorkerTest, TheNewestRequestWins) {
    open();
    worker_->push(1);
    ASSERT_TRUE(wait_for_begun(1));
    for (int i = 2; i <= 5; ++i) worker_->push(i);
    allowed_.release(2);
    ASSERT_TRUE(test::wait_for([&] { return answers_.ends_with("5 "); }));
    EXPECT_EQ(begun_, 2) << "1 and 5";
}

TEST_F(WorkerTest, ANewerAnswerReplacesOneThatTheWindowHasNotReceived) {
    open();
    allowed_.release(2);
    worker_->push(1);
    ASSERT_TRUE(test::eventually([&] { return done_ == 1; }));
    worker_->push(2);
    ASSERT_TRUE(test::eventually([&] { return done_ == 2; }));
    ASSERT_TRUE(test::wait_for([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_, "2 ");
}

TEST_F(WorkerTest, NothingThatWasClearedIsAnswered) {
    open();
    worker_->push(1);
    ASSERT_TRUE(wait_for_begun(1));
    worker_->push(2);
    worker_->clear();  // one is worked on, one waits
    allowed_.release(2);
    ASSERT_TRUE(test::eventually([&] { return done_ == 1; }));
    worker_->push(3);
    ASSERT_TRUE(test::eventually([&] { return done_ == 2; }));
    worker_->clear();  // the answer waits for the window
    worker_->push(4);
    allowed_.release();
    ASSERT_TRUE(test::wait_for([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_, "4 ");
}

TEST_F(WorkerTest, AnExceptionBecomesAnAnswer) {
    open();
    allowed_.release(2);
    worker_->push(-1);
    ASSERT_TRUE(test::wait_for([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_, "negative ");
    worker_->push(1);
    EXPECT_TRUE(test::wait_for([&] { return answers_ == "negative 1 "; })) << "it works on";
}

TEST_F(WorkerTest, ClosingDoesNotWaitAndDestructionDoes) {
    open();
    worker_->push(1);
    ASSERT_TRUE(wait_for_begun(1));
    worker_->close();  // would hang: the request is not allowed yet
    EXPECT_FALSE(worker_->is_open());
    worker_->push(2);
    std::atomic<bool> destroyed = false;
    worker_->open([flag = std::shared_ptr<void>(nullptr, [&](void*) { destroyed = true; })](
                      int request, const Echo::Job& job) { job.report(10 * request); });
    worker_->push(3);
    ASSERT_TRUE(test::wait_for([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_, "30 ");
    allowed_.release();
    worker_.reset();
    EXPECT_EQ(done_, 1) << "waited for";
    EXPECT_TRUE(destroyed);
    EXPECT_EQ(answers_, "30 ") << "the first opening answers nobody";
}

TEST_F(WorkerTest, LanesTakeTurns) {
    open(3);
    worker_->push(10, 0);
    ASSERT_TRUE(wait_for_begun(1));
    worker_->push(11, 0);
    worker_->push(20, 1);
    worker_->push(30, 2);
    worker_->push(31, 2);
    for (const char* expected : {"10 ", "10 20 ", "10 20 31 ", "10 20 31 11 "}) {
        allowed_.release();
        EXPECT_TRUE(test::wait_for([&] { return answers_ == expected; })) << answers_;
    }
}

TEST(Worker, AJobEndsItsWaitForANewerRequest) {
    QObject owner;
    std::string answers;
    Worker<std::string, std::string> worker(
        &owner, [&](const std::string& answer, const Message&) { answers += answer + ' '; });
    worker.open([](const std::string& request, const auto& job) {
        job.report(request);
        const auto never = std::chrono::steady_clock::now() + std::chrono::hours(1);
        if (job.wait_until(never)) job.report("time");
    });
    worker.push("a");
    ASSERT_TRUE(test::wait_for([&] { return answers == "a "; }));
    worker.push("b");
    ASSERT_TRUE(test::wait_for([&] { return answers == "a b "; }));
    worker.clear();
    worker.push("c");
    ASSERT_TRUE(test::wait_for([&] { return answers == "a b c "; }));
}  // closing ends the wait, too

}  // namespace
}  // namespace throng::ui
