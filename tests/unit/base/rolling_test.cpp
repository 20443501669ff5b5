#include "core/base/rolling.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(RollingStatistics, EmptyHasNoSamples) {
    EXPECT_EQ(RollingStatistics(8).summary().count, 0U);
}

TEST(RollingStatistics, DropsSamplesOutsideTheWindow) {
    RollingStatistics statistics(4);
    for (double sample : {100.0, 1.0, 2.0, 3.0, 4.0}) statistics.add(sample);
    const RollingSummary summary = statistics.summary();
    EXPECT_EQ(summary.count, 5U);
    EXPECT_EQ(summary.last, 4.0);
    EXPECT_EQ(summary.max, 4.0);
    EXPECT_EQ(summary.mean, 2.5);
    EXPECT_EQ(summary.p50, 2.0);
    EXPECT_EQ(summary.p99, 4.0);
}

}  // namespace
}  // namespace throng
