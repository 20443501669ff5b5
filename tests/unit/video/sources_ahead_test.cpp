// Sources that are opened before they are taken.
#include "core/video/sources_ahead.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
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
            ++opening_;
            while (!released_ && !stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
            --opening_;
            if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped");
            if (index % 3 == 2) throw Error(ErrorKind::input, "damaged", std::to_string(index));
            return open_source("crowd:faces=1,size=64x64,frames=" + std::to_string(index + 1));
        };
    }

    test::ScratchDir dir_;
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
    std::vector<std::string> list = files(4);
    list[1] = (dir_.path() / "pipe").string();
    ASSERT_EQ(::mkfifo(list[1].c_str(), 0600), 0);
    released_ = true;
    std::atomic<int> opened = 0;
    const auto count = [&, open = opener()](std::size_t index, const std::stop_token& stop) {
        ++opened;
        return open(index, stop);
    };
    SourcesAhead sources(list, count, {});
    sources.open(1, 3);
    EXPECT_NE(sources.take(), nullptr);
    sources.open(0, 3);
    EXPECT_EQ(opened, 1);
    sources.open(1, 3);
    EXPECT_TRUE(test::eventually([&] { return opened == 4; }));
    EXPECT_NE(sources.take(), nullptr);
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
    }
    EXPECT_EQ(opening_, 0);
}

}  // namespace
}  // namespace throng
