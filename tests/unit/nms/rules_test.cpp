// Tests the small functions that CPU and GPU share.
#include "core/algo/nms_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace throng {
namespace {

TEST(NmsRules, ExponentialAgreesWithTheLibrary) {
    for (int k = 0; k < 870000; ++k) {
        const float x = static_cast<float>(k) * -1e-4F;
        const float expected = std::exp(x);
        ASSERT_NEAR(exp_decay(x), expected, 2e-7F * expected) << x;
    }
    EXPECT_EQ(exp_decay(0.0F), 1.0F);
    EXPECT_EQ(exp_decay(-0.0F), 1.0F);
    EXPECT_EQ(exp_decay(-std::numeric_limits<float>::infinity()), 0.0F);
}

TEST(NmsRules, OverlapsOfValidDetectionsAreNumbers) {
    std::mt19937 random(71);
    std::uniform_int_distribution<int> exponents(-148, 128);
    std::uniform_real_distribution<float> mantissas(0.5F, 1.0F);
    const auto any = [&] { return std::ldexp(mantissas(random), exponents(random)); };
    const auto edge = [&] { return any() * static_cast<float>(static_cast<int>(random() % 3) - 1); };
    int tested = 0;
    for (int k = 0; k < 2000000; ++k) {
        const Box a{edge(), edge(), any(), any()};
        // Nearly the same position, so that most pairs overlap.
        const Box b{a.x + a.w * mantissas(random) - a.w / 2, a.y, k % 2 == 0 ? a.w : any(), k % 3 == 0 ? a.h : any()};
        if (!is_valid_detection(a, 1.0F) || !is_valid_detection(b, 1.0F)) continue;
        ++tested;
        for (const Overlap kind : {Overlap::iou, Overlap::suppressor, Overlap::min}) {
            for (const float extent : {0.0F, 1.0F}) {
                ASSERT_FALSE(std::isnan(pair_overlap(kind, a, b, extent)))
                    << a.x << ' ' << a.y << ' ' << a.w << ' ' << a.h << ", " << b.x << ' ' << b.w << ' ' << b.h;
            }
        }
    }
    EXPECT_GT(tested, 100000);
    // Edges far from the origin are rounded up: the intersection is nearly four times as large as either box.
    const Box rounded{8.4e17F, 8.4e17F, 3.5e10F, 3.5e10F};
    EXPECT_TRUE(is_valid_detection(rounded, 1.0F));
    EXPECT_GT(intersection_area(rounded, rounded, 0.0F), 3 * box_area(rounded, 0.0F));
}

TEST(NmsRules, TheLargestFloatsAreValid) {
    const float most = std::numeric_limits<float>::max();
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float sign : {-1.0F, 1.0F}) {
        EXPECT_TRUE(is_valid_detection({sign * most, 0, 1, 1}, 0.5F));
        EXPECT_TRUE(is_valid_detection({0, sign * most, 1, 1}, 0.5F));
        EXPECT_TRUE(is_valid_detection({0, 0, 1, 1}, sign * most));
        EXPECT_FALSE(is_valid_detection({sign * infinity, 0, 1, 1}, 0.5F));
        EXPECT_FALSE(is_valid_detection({0, sign * infinity, 1, 1}, 0.5F));
        EXPECT_FALSE(is_valid_detection({0, 0, 1, 1}, sign * infinity));
    }
}

TEST(NmsRules, FeatureRuleAtItsBounds) {
    const float a[] = {0, 0};
    const float near_a[] = {0.6F, 0.0F};
    const float far_a[] = {2, 2};
    EXPECT_TRUE(feature_suppresses(0.9F, 0.1F, 0.9F, 1.0F, a, far_a, 2));
    EXPECT_FALSE(feature_suppresses(0.5F, 0.1F, 0.9F, 1.0F, a, far_a, 2));
    EXPECT_TRUE(feature_suppresses(0.5F, 0.1F, 0.9F, 1.0F, a, near_a, 2));
    EXPECT_TRUE(feature_suppresses(0.5F, 0.1F, 0.9F, 0.6F, a, near_a, 2));
    EXPECT_FALSE(feature_suppresses(0.1F, 0.1F, 0.9F, 1.0F, a, near_a, 2));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float not_known[] = {nan, nan};
    EXPECT_FALSE(feature_suppresses(0.5F, 0.1F, 0.9F, 1.0F, a, not_known, 2));
    EXPECT_FALSE(feature_suppresses(nan, 0.1F, 0.9F, 1.0F, a, near_a, 2));
}

TEST(NmsRules, DensityRaisesTheThreshold) {
    EXPECT_EQ(adaptive_threshold(0.3F, 0.6F), 0.6F);
    EXPECT_EQ(adaptive_threshold(0.3F, 0.1F), 0.3F);
    EXPECT_EQ(adaptive_threshold(0.3F, std::numeric_limits<float>::quiet_NaN()), 0.3F);
}

TEST(NmsRules, PositiveAndNegativeZeroAreEqualScores) {
    const Box small{0, 0, 1, 1};
    const Box large{0, 0, 2, 2};
    EXPECT_TRUE(precedes(large, -0.0F, 1, small, 0.0F, 0));
    EXPECT_FALSE(precedes(small, 0.0F, 0, large, -0.0F, 1));
}

}  // namespace
}  // namespace throng
