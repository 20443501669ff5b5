// Sources that are opened before they are taken.
#include "core/video/sources_ahead.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <fstream>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "tests/support/eventually.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using std::chrono::milliseconds;

class SourcesAheadTest : public ::testing::Test {
protected:
    // Returns the paths of so many files.
    [[nodiscard]] std::vector<std::string> files(int count) const {
        std::vector<std::string> paths;
        for (int i = 0; i < count; ++i) {
            paths.push_back((dir_.path() / std::to_string(i)).string());
            std::ofstream(paths.back()) << "x";
        }
        return paths;
    }
    // Opens after `released` is set, or a stop request. Files 2, 5, … fail.
    [[nodiscard]] SourcesAhead::Open opener() {
        return [this](std::size_t index, const std::stop_token& stop) {
            {
                const std::lock_guard lock(mutex_);
                begun_.insert(index);
            }
            ++opening_;
            while (!released_ && !stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
            --opening_;
            if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped");
            if (index % 3 == 2) throw Error(ErrorKind::input, "damaged", std::to_string(index));
            return open_source("crowd:faces=1,size=64x64,frames=" + std::to_string(index + 1));
        };
    }

    test::ScratchDir dir_;
    std::mutex mutex_;
    std::set<std::size_t> begun_;  // indices with which the opener was called
    std::atomic<int> opening_ = 0;
    std::atomic<bool> released_ = false;
};

TEST_F(SourcesAheadTest, AreOpenedAtTheSameTimeAndTakenInOrder) {
    SourcesAhead sources(files(9), opener(), {});
    sources.open(2, 3);
    EXPECT_TRUE(test::eventually([&] { return opening_ == 5; }));
    sources.open(2, 3);
    EXPECT_FALSE(sources.wait(milliseconds(0)));
    released_ = true;
    for (std::size_t index = 0; index < 9; ++index) {
        ASSERT_TRUE(sources.has_next());
        EXPECT_EQ(sources.next(), index);
        sources.open(1, index);
        EXPECT_TRUE(sources.wait(std::chrono::hours(1)));
        if (index == 4) sources.close();  // opened again
        if (index == 4) sources.open(1, 0);
        try {
            EXPECT_EQ(sources.take()->info().frame_count, static_cast<std::int64_t>(index + 1));
            EXPECT_NE(index % 3, 2U);
        } catch (const Error& error) {
            EXPECT_EQ(error.where(), std::to_string(index));
        }
    }
    EXPECT_FALSE(sources.has_next());
}

// Pipes are opened at their turn, and nothing overtakes them.
TEST_F(SourcesAheadTest, OnlyFilesAreOpenedEarly) {
    std::vector<std::string> list = files(5);
    list[2] = (dir_.path() / "pipe").string();
    ASSERT_EQ(::mkfifo(list[2].c_str(), 0600), 0);
    released_ = true;
    SourcesAhead sources(list, opener(), {});
    sources.open(1, 4);
    EXPECT_NE(sources.take(), nullptr);
    sources.open(1, 4);
    sources.close();  // waits for all that has begun
    EXPECT_EQ(begun_, std::set<std::size_t>({0, 1}));
    sources.open(2, 1);
    sources.close();
    EXPECT_EQ(begun_, std::set<std::size_t>({0, 1, 2, 3}));
}

// An early file may lack what those before it use.
TEST_F(SourcesAheadTest, AnEarlyFailureIsTriedOnceMoreWithoutOtherEarlyFiles) {
    std::atomic<bool> is_short = true;
    std::array<std::atomic<int>, 4> attempts{};
    const auto open = [&, open = opener()](std::size_t index, const std::stop_token& stop) {
        ++attempts.at(index);
        if (index == 1 && is_short) throw std::bad_alloc();
        return open(index, stop);
    };
    released_ = true;
    SourcesAhead sources(files(4), open, {});
    sources.open(1, 3);
    EXPECT_TRUE(test::eventually([&] { return attempts[1] == 1 && attempts[3] == 1; }));
    EXPECT_NE(sources.take(), nullptr);
    is_short = false;
    EXPECT_NE(sources.take(), nullptr);
    EXPECT_EQ(attempts[1], 2);
    const int before = attempts[2];
    sources.open(1, 1);
    EXPECT_TRUE(test::eventually([&] { return attempts[3] == 2; }));
    EXPECT_THROW(static_cast<void>(sources.take()), Error);
    EXPECT_EQ(attempts[2], before + 1);  // its turn has come
}

TEST_F(SourcesAheadTest, AStopEndsTheOpening) {
    std::stop_source stop;
    {
        SourcesAhead sources(files(3), opener(), stop.get_token());
        sources.open(1, 1);
        EXPECT_TRUE(test::eventually([&] { return opening_ == 2; }));
        stop.request_stop();
        EXPECT_THROW(static_cast<void>(sources.take()), Error);
    }
    EXPECT_EQ(opening_, 0);
    {
        SourcesAhead left(files(3), opener(), {});
        left.open(3, 0);
        EXPECT_TRUE(test::eventually([&] { return opening_ == 3; }));
        left.close();
        EXPECT_EQ(opening_, 0);
        left.open(3, 0);
        EXPECT_TRUE(test::eventually([&] { return opening_ == 3; }));
    }
    EXPECT_EQ(opening_, 0);
}

}  // namespace
}  // namespace throng
