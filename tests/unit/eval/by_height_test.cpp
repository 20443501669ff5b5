#include "core/eval/by_height.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace throng {
namespace {

TruthFace face(float x, float height) {
    return {{x, 0, height, height}};
}
ScoredBox found(float x, float height, double score) {
    return {{x, 0, height, height}, score};
}

TEST(ByHeight, MatchesHandComputedValues) {
    // Ten images: one wrong detection is 0.1 per image. Two faces of 12 pixels, four of 24, one of 400.
    MatchResult result;
    result += match({face(0, 12), face(100, 12), face(200, 24), face(300, 24), face(400, 24), face(500, 24)},
                    {found(0, 12, 0.9), found(700, 13, 0.8), found(200, 24, 0.7), found(800, 30, 0.6),
                     found(300, 24, 0.5), found(100, 12, 0.4), found(400, 23, 0.3)},
                    {});
    result += match({face(0, 400)}, {found(0, 400, 0.95)}, {});
    const std::vector<HeightResult> heights = results_by_height(result, 10);
    ASSERT_EQ(heights.size(), 3U) << "classes without a face are left out";
    EXPECT_EQ(heights[0].from, 12);
    EXPECT_EQ(heights[0].to, 16);
    EXPECT_EQ(heights[0].faces, 2);
    EXPECT_EQ(heights[1].from, 24);
    EXPECT_EQ(heights[1].to, 48);
    EXPECT_EQ(heights[1].faces, 4);
    EXPECT_EQ(heights[2].from, 300);
    EXPECT_TRUE(std::isinf(heights[2].to));
    // One wrong detection: down to a score of 0.7. Ten: down to the last one.
    EXPECT_DOUBLE_EQ(heights[0].recall_at_tenth.value(), 0.5);
    EXPECT_DOUBLE_EQ(heights[0].recall_at_one.value(), 1);
    EXPECT_DOUBLE_EQ(heights[1].recall_at_tenth.value(), 0.25);
    EXPECT_DOUBLE_EQ(heights[1].recall_at_one.value(), 0.75);
    EXPECT_DOUBLE_EQ(heights[2].recall_at_tenth.value(), 1);
    // 12 pixels: correct, wrong, correct. 24 pixels: correct, wrong, correct, correct of four faces.
    EXPECT_DOUBLE_EQ(heights[0].ap.value(), 0.5 * 1 + 0.5 * 2 / 3);
    EXPECT_DOUBLE_EQ(heights[1].ap.value(), 0.25 * 1 + 0.5 * 3 / 4);
    EXPECT_DOUBLE_EQ(heights[2].ap.value(), 1);
}

TEST(ByHeight, EqualRanksAreTakenOrLeftTogether) {
    const MatchResult result =
        match({face(0, 12), face(100, 12)}, {found(0, 12, 1), found(100, 12, 0.5), found(200, 12, 0.5)}, {});
    // 0.1 wrong detections per image of one image: none.
    EXPECT_DOUBLE_EQ(results_by_height(result, 1).front().recall_at_tenth.value(), 0.5);
    EXPECT_DOUBLE_EQ(results_by_height(result, 10).front().recall_at_tenth.value(), 1);
}

TEST(ByHeight, HalfOfTheFacesAreFoundFromTheFirstHeightWithoutALaterGap) {
    const auto half_from = [](std::vector<double> recalls) {
        std::vector<HeightResult> results(recalls.size());
        for (std::size_t i = 0; i < recalls.size(); ++i) {
            results[i].from = kFaceHeights[i];
            results[i].recall_at_tenth = recalls[i];
            results[i].faces = recalls[i] < 0 ? 9 : 10;
        }
        return height_found_by_half(results);
    };
    EXPECT_EQ(half_from({0.1, 0.5, 0.9}), kFaceHeights[1]);
    EXPECT_EQ(half_from({0.6, 0.4, 0.9}), kFaceHeights[2]);
    EXPECT_EQ(half_from({0.6, 0.4}), std::nullopt);
    EXPECT_EQ(half_from({}), std::nullopt);
    EXPECT_EQ(half_from({0.1, 0.6, -1, 0.9, -1}), kFaceHeights[1]) << "few faces decide nothing";
    EXPECT_EQ(half_from({-1}), std::nullopt);
}

TEST(ByHeight, WithoutFacesThereAreNoClasses) {
    EXPECT_TRUE(results_by_height(match({}, {found(0, 12, 1)}, {}), 1).empty());
}

}  // namespace
}  // namespace throng
