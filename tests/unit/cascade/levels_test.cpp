#include "core/algo/cascade_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

// Visits the windows of a row, word by word.
std::vector<bool> visited_by_words(const std::vector<bool>& fell) {
    std::vector<bool> result;
    std::uint32_t skip = 0;
    for (std::size_t first = 0; first < fell.size(); first += 64) {
        std::uint64_t word = 0;
        for (std::size_t i = first; i < std::min(first + 64, fell.size()); ++i) {
            word |= static_cast<std::uint64_t>(fell[i]) << (i - first);
        }
        const std::uint64_t visited = visited_windows(word, skip);
        for (std::size_t i = first; i < std::min(first + 64, fell.size()); ++i) {
            result.push_back((visited >> (i - first) & 1U) != 0);
        }
    }
    return result;
}

TEST(VisitedWindows, SkipsTheWindowAfterARejectedOne) {
    std::mt19937_64 random(test::seed(1));
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<bool> fell(1 + random() % 300);
        const auto density = random() % 11;
        for (std::size_t i = 0; i < fell.size(); ++i) fell[i] = random() % 10 < density;
        std::vector<bool> expected(fell.size(), false);
        for (std::size_t i = 0; i < fell.size(); ++i) {
            expected[i] = true;
            if (fell[i]) ++i;
        }
        ASSERT_EQ(visited_by_words(fell), expected) << "trial " << trial;
    }
}

TEST(CascadeLevels, CoverTheRequestedBoxSizes) {
    const auto levels = cascade_levels(1920, 1080, 20, 20, 1.25, 50, 200);
    ASSERT_FALSE(levels.empty());
    EXPECT_EQ(levels.front().box_width, 61);
    EXPECT_EQ(levels.back().box_width, 186);
    EXPECT_EQ(levels.front().step, 1);
    for (const CascadeLevel& level : levels) {
        EXPECT_EQ(level.columns, level.width - 19);
        EXPECT_LE(level.rows, level.height - 19);
    }
}

TEST(CascadeLevels, UseAStepOfTwoBelowScaleTwo) {
    for (const CascadeLevel& level : cascade_levels(640, 480, 24, 24, 1.1, 1, 0)) {
        EXPECT_EQ(level.step, level.scale < 2.0F ? 2 : 1);
    }
}

// The loops of detectMultiScale and of its invoker, in OpenCV's form.
TEST(CascadeLevels, HaveTheRowsAndColumnsThatOpenCVVisits) {
    std::mt19937_64 random(test::seed(2));
    const int window = 20;
    for (std::size_t trial = 0; trial < test::case_count(500); ++trial) {
        // Often a whole number of stripes.
        const int width = window - 1 + static_cast<int>(trial % 2 == 0 ? 32 * (1 + random() % 20) : 1 + random() % 700);
        const int height = window + static_cast<int>(random() % 400);
        int num_stripes = 0;
        for (const CascadeLevel& level : cascade_levels(width, height, window, window, 1.2, 1, 0)) {
            const int across = level.width + 1 - window;
            const int down = level.height + 1 - window;
            if (num_stripes == 0) num_stripes = static_cast<int>(std::ceil(across / 32.0));
            const int stripe = std::max((down / level.step + num_stripes - 1) / num_stripes, 1) * level.step;
            int rows = 0;
            int columns = 0;
            for (int y = 0; y < std::min(num_stripes * stripe, down); y += level.step) ++rows;
            for (int x = 0; x < across; x += level.step) ++columns;
            ASSERT_EQ(level.rows, rows) << width << " x " << height << ", scale " << level.scale;
            ASSERT_EQ(level.columns, columns) << width << " x " << height << ", scale " << level.scale;
        }
    }
}

TEST(CascadeLevels, UseTheNearestLevelIfNoneIsInTheRange) {
    const auto levels = cascade_levels(640, 480, 20, 20, 2.0, 50, 55);
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0].box_width, 40);
}

TEST(CascadeLevels, AreEmptyIfTheFrameIsSmallerThanTheWindow) {
    EXPECT_TRUE(cascade_levels(19, 500, 20, 20, 1.1, 1, 0).empty());
    EXPECT_TRUE(cascade_levels(500, 19, 20, 20, 1.1, 1, 0).empty());
    EXPECT_EQ(cascade_levels(20, 20, 20, 20, 1.1, 1, 0).size(), 1U);
}

TEST(WindowBox, IsClippedToTheFrame) {
    CascadeLevel level{};
    level.scale = 1.5F;
    level.step = 2;
    level.box_width = level.box_height = 30;
    const Box box = window_box(level, 3, 2, 35, 100);
    EXPECT_EQ(box.x, 9.0F);
    EXPECT_EQ(box.y, 6.0F);
    EXPECT_EQ(box.w, 26.0F);
    EXPECT_EQ(box.h, 30.0F);
}

}  // namespace
}  // namespace throng
