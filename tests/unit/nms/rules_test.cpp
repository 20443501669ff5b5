// The small functions that CPU and GPU share.
#include "core/algo/nms_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(NmsRules, ZerosOfEitherSignAreOneScore) {
    const Box small{0, 0, 1, 1};
    const Box large{0, 0, 2, 2};
    EXPECT_TRUE(precedes(large, -0.0F, 1, small, 0.0F, 0));
    EXPECT_FALSE(precedes(small, 0.0F, 0, large, -0.0F, 1));
}

}  // namespace
}  // namespace throng
