// Tests the definitions: arc tangent, shares, weights and levels.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/algo/hog_levels.h"
#include "tests/support/random.h"

namespace throng {
namespace {

constexpr double kDegreesABin = 20.0;

// Returns the difference of two unsigned orientations in degrees.
double degrees_apart(double a, double b) {
    const double apart = std::fmod(std::fabs(a - b), 180.0);
    return std::min(apart, 180.0 - apart);
}

TEST(HogOrientation, ErrorIsBelowTheStatedBound) {
    std::mt19937_64 random(test::seed(81));
    std::uniform_real_distribution<float> side(-360.0F, 360.0F);
    double polynomial = 0;
    double exact = 0;
    const auto check = [&](float dx, float dy) {
        const double truth = std::atan2(static_cast<double>(dy), static_cast<double>(dx)) * 180.0 / std::numbers::pi;
        for (const bool approximate : {true, false}) {
            const float bins = approximate ? hog_orientation(dx, dy) : hog_orientation_exact(dx, dy);
            ASSERT_GE(bins, -0.5F);
            ASSERT_LE(bins, 8.5F);
            const double found = (static_cast<double>(bins) + 0.5) * kDegreesABin;
            double& worst = approximate ? polynomial : exact;
            worst = std::max(worst, degrees_apart(truth, found));
        }
    };
    for (int i = 0; i < 200000; ++i) check(side(random), side(random));
    for (int i = 0; i <= 100000; ++i) check(1.0F, static_cast<float>(i) * 1e-5F);
    for (const float s : {-1.0F, 1.0F}) {
        check(s, 0.0F);
        check(0.0F, s);
        check(s, s);
        check(s, -s);
        check(1e-6F * s, 255.0F);
    }
    EXPECT_LT(polynomial, 0.0112);
    EXPECT_GT(polynomial, 0.005) << "the stated error is far too large";
    EXPECT_LT(exact, 1e-4);
    RecordProperty("micro_degrees", static_cast<int>(polynomial * 1e6));
}

TEST(HogOrientation, IsInRangeForAZeroGradient) {
    const float bins = hog_orientation(0.0F, 0.0F);
    EXPECT_GE(bins, -0.5F);
    EXPECT_LE(bins, 8.5F);
}

TEST(HogShare, IsSplitBetweenTwoNeighboringBins) {
    for (int i = 0; i <= 900; ++i) {
        const float orientation = -0.5F + 0.01F * static_cast<float>(i);
        float sum = 0;
        int bins = 0;
        for (int bin = 0; bin < kHogBins; ++bin) {
            const float share = hog_share(orientation, static_cast<float>(bin));
            EXPECT_GE(share, 0.0F);
            sum += share;
            bins += share > 1e-5F ? 1 : 0;
        }
        EXPECT_NEAR(sum, 1.0F, 1e-5F) << orientation;
        EXPECT_LE(bins, 2) << orientation;
    }
    EXPECT_NEAR(hog_share(-0.5F, 8.0F), 0.5F, 1e-6F);
    EXPECT_NEAR(hog_share(8.25F, 0.0F), 0.25F, 1e-6F);
}

TEST(HogSideWeights, AreAGaussianInterpolatedBetweenCells) {
    const HogSide side = hog_side();
    for (int i = 0; i < kHogBlock; ++i) {
        const double gauss = std::exp(-(i - 8.0) * (i - 8.0) / 32.0);
        const double sum = static_cast<double>(side.weight[0][i] + side.weight[1][i]);
        const double inside = i < 4 ? (i + 4.5) / 8 : i >= 12 ? (19.5 - i) / 8 : 1.0;
        EXPECT_NEAR(sum, gauss * inside, 1e-6) << i;
    }
    for (int i = 0; i < kHogCell / 2; ++i) {
        EXPECT_EQ(hog_use_weight(side, 1, i), 0.0F);
        EXPECT_EQ(hog_use_weight(side, 2, kHogCell / 2 + i), 0.0F);
    }
}

TEST(HogLevels, EqualOpenCVFromScaleOne) {
    const auto levels = hog_levels(640, 480, 1.05, 128, 0);
    ASSERT_EQ(levels.size(), 28U);  // 1.05^27 = 3.73, 480 / 128 = 3.75
    double scale = 1.0;
    for (const HogLevel& level : levels) {
        EXPECT_DOUBLE_EQ(level.scale, scale);
        EXPECT_EQ(level.width, static_cast<int>(std::lrint(640 / scale)));
        EXPECT_EQ(level.columns, (level.width - 64) / 8 + 1);
        EXPECT_EQ(level.rows, (level.height - 128) / 8 + 1);
        EXPECT_EQ(static_cast<double>(level.box_height), static_cast<double>(std::lrint(128 * scale)));
        scale *= 1.05;
    }
}

TEST(HogLevels, LimitsApplyToTheHeight) {
    for (const HogLevel& level : hog_levels(1920, 1080, 1.1, 200, 400)) {
        EXPECT_GE(level.box_height, 200.0F);
        EXPECT_LE(level.box_height, 400.0F);
    }
    const auto enlarged = hog_levels(320, 240, 1.25, 1, 0);
    ASSERT_FALSE(enlarged.empty());
    EXPECT_GE(enlarged.front().scale, kHogMinScale - 1e-9);
    EXPECT_LT(enlarged.front().scale, 0.65);
    bool has_one = false;
    for (std::size_t i = 0; i < enlarged.size(); ++i) {
        has_one |= enlarged[i].scale == 1.0;
        if (i == 0) continue;
        EXPECT_GT(enlarged[i].box_height, enlarged[i - 1].box_height);
    }
    EXPECT_TRUE(has_one) << "the levels from scale 1 on must equal OpenCV's";
    EXPECT_EQ(hog_levels(320, 240, 2.0, 1, 0).front().scale, kHogMinScale);
}

TEST(HogLevels, UseTheNearestLevelIfNoneIsInTheRange) {
    const auto levels = hog_levels(1000, 1000, 1.3, 140, 150);
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels.front().box_height, 128.0F);
    EXPECT_TRUE(hog_levels(1000, 1000, 1.05, 10, 20).empty());
}

TEST(HogLevels, AreEmptyIfNoWindowFits) {
    EXPECT_TRUE(hog_levels(63, 500, 1.1, 128, 0).empty());
    EXPECT_TRUE(hog_levels(500, 127, 1.1, 128, 0).empty());
    EXPECT_TRUE(hog_levels(1, 1, 1.1, 1, 0).empty());
    EXPECT_EQ(hog_levels(64, 128, 1.1, 128, 0).size(), 1U);
}

}  // namespace
}  // namespace throng
