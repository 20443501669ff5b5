#include "core/base/suggest.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

const std::vector<std::string> kNames = {"theta", "min-hits", "min-size", "model", "k"};

TEST(ClosestName, FindsMisspelledNames) {
    EXPECT_EQ(closest_name("thta", kNames), "theta");
    EXPECT_EQ(closest_name("tehta", kNames), "theta");
    EXPECT_EQ(closest_name("min_hits", kNames), "min-hits");
    EXPECT_EQ(closest_name("models", kNames), "model");
    EXPECT_EQ(closest_name("theta", kNames), "theta");
}

TEST(ClosestName, SuggestsNothingForDistantNames) {
    EXPECT_EQ(closest_name("overlap", kNames), "");
    EXPECT_EQ(closest_name("", kNames), "");
    EXPECT_EQ(closest_name(std::string(100000, 'x'), kNames), "");
    EXPECT_EQ(closest_name("theta", {}), "");
}

}  // namespace
}  // namespace throng
