// The grid must yield the pairs that reach the threshold and no others, for boxes of every kind. The loops that it and
// the order of detections use must give what their declarations say.
#include "core/cpu/nms_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/cpu/nms.h"
#include "core/detect/nms_profiling.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_run.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

std::vector<Box> valid_boxes(const NmsInput& input) {
    std::vector<Box> boxes;
    for (const Box& box : input.boxes) {
        if (is_valid_detection(box, 0.0F)) boxes.push_back(box);
    }
    return boxes;
}

TEST(BoxGrid, YieldsThePairsThatReachTheThresholdOnce) {
    Random random(seed(11));
    BoxGrid grid;
    std::uint64_t tests = 0;
    for (std::size_t trial = 0; trial < case_count(20000); ++trial) {
        // Few boxes are scanned without a grid.
        const std::size_t n = trial % 100 == 0 ? 300 + random() % 100 : random() % 40;
        const std::vector<Box> boxes = valid_boxes(random_nms_input(random, n));
        const float smallest[] = {0.0F, 0.05F, 0.3F, 0.5F, 0.9F, 1.0F};
        const float min_iou = smallest[random() % 6];
        const float extent = random() % 2 == 0 ? 0.0F : 1.0F;
        grid.build(boxes, {}, extent, min_iou);
        const GridQuery all = {Overlap::iou, min_iou, true, 0, static_cast<std::uint32_t>(boxes.size())};
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            std::set<std::uint32_t> found;
            grid.search(i, all, tests, [&](std::uint32_t position) {
                EXPECT_TRUE(found.insert(grid.rank_at(position)).second) << "twice";
                return false;
            });
            for (std::uint32_t j = 0; j < boxes.size(); ++j) {
                const float overlap = pair_overlap(Overlap::iou, boxes[i], boxes[j], extent);
                const bool expected = overlap > 0 && overlap >= min_iou;
                ASSERT_EQ(found.count(j) == 1, expected) << "trial " << trial << " pair " << i << ", " << j;
            }
        }
    }
}

TEST(BoxGrid, DoesNotYieldRemovedBoxes) {
    const std::vector<Box> boxes = {{0, 0, 10, 10}, {1, 1, 10, 10}};
    BoxGrid grid;
    std::uint64_t tests = 0;
    grid.build(boxes, {}, 0, 0.5F);
    const auto finds_first = [&] {
        return grid.search(1, {Overlap::iou, 0.5F, false, 0, 1}, tests, [](std::uint32_t) { return true; });
    };
    EXPECT_TRUE(finds_first());
    grid.remove(0);
    EXPECT_FALSE(finds_first());
}

// Two boxes that overlap and one apart: few boxes are all tested.
TEST(NmsProfiling, CountsThePairsOfTheLastRun) {
    const NmsInput input{{{0, 0, 10, 10}, {1, 0, 10, 10}, {50, 0, 10, 10}}, {0.9F, 0.8F, 0.7F}, {}, {}, 0};
    const auto nms = make_cpu_nms(1);
    const auto* profiling = dynamic_cast<const NmsProfiling*>(nms.get());
    ASSERT_NE(profiling, nullptr);
    const auto tested = [&](NmsRule rule) {
        NmsParams params;
        params.rule = rule;
        static_cast<void>(run_host_nms(*nms, input, params));
        return profiling->pair_tests().value();
    };
    EXPECT_EQ(profiling->pair_tests(), 0U);
    EXPECT_EQ(tested(NmsRule::greedy), 2U);       // the first with both others; no box follows the third
    EXPECT_EQ(tested(NmsRule::one_pass), 5U);     // each with those before it, then as above
    EXPECT_EQ(tested(NmsRule::soft_linear), 9U);  // each pick with all
    EXPECT_TRUE(run_host_nms(*nms, {}, {}).kept.empty());
    EXPECT_EQ(profiling->pair_tests(), 0U);
}

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kMaxDetections = 40;  // more than two of the largest vectors

// A value out of bounds anywhere in the arrays, but none beside them, changes the answer.
TEST(NmsKernels, ValidityIsThatOfTheGivenDetections) {
    for (std::uint32_t count = 0; count <= kMaxDetections; ++count) {
        const Box beside{kNotANumber, kNotANumber, kNotANumber, kNotANumber};
        std::vector<Box> boxes(count + 2, beside);
        std::vector<float> scores(count + 2, kNotANumber);
        std::fill_n(boxes.begin() + 1, count, Box{-3, -2, 5, 7});
        std::fill_n(scores.begin() + 1, count, -0.5F);
        const auto valid = [&] { return certainly_valid(&boxes[1], &scores[1], count); };
        ASSERT_TRUE(valid()) << count;
        const auto expect_invalid = [&](float& value, float bad) {
            const float before = std::exchange(value, bad);
            EXPECT_FALSE(valid()) << count << " detections, " << bad << " for " << before;
            value = before;
        };
        for (std::uint32_t i = 1; i <= count; ++i) {
            for (const float bad : {kNotANumber, 2e15F, -2e15F}) {
                for (float Box::*value : {&Box::x, &Box::y, &Box::w, &Box::h}) expect_invalid(boxes[i].*value, bad);
                expect_invalid(scores[i], bad);
            }
            expect_invalid(boxes[i].w, 0.0F);
            expect_invalid(boxes[i].h, 0.0F);
        }
    }
}

TEST(NmsKernels, TheRangeOfScoresIsThatOfTheGivenScores) {
    for (std::uint32_t count = 1; count <= kMaxDetections; ++count) {
        std::vector<float> scores(count + 2, kNotANumber);
        for (std::uint32_t i = 1; i <= count; ++i) {
            for (const float extreme : {0.25F, 0.75F}) {
                std::fill_n(scores.begin() + 1, count, 0.5F);
                scores[i] = extreme;
                const auto [highest, lowest] = range_of_scores(&scores[1], count);
                EXPECT_EQ(highest, count == 1 ? extreme : std::max(extreme, 0.5F)) << count << ", " << i;
                EXPECT_EQ(lowest, count == 1 ? extreme : std::min(extreme, 0.5F)) << count << ", " << i;
            }
        }
    }
}

// Sides at a power of four, one float beside it, and between.
TEST(NmsKernels, LevelsAreTheLowestThatHoldTheBoxes) {
    Random random(seed(12));
    std::uniform_real_distribution<float> mantissas(0.5F, 1.0F);
    const auto any_side = [&] {
        const float power = std::ldexp(1.0F, static_cast<int>(random() % 40) - 20);
        const float sides[] = {power, std::nextafter(power, 0.0F), std::nextafter(power, 2 * power),
                               power * mantissas(random)};
        return sides[random() % 4];
    };
    for (std::size_t trial = 0; trial < case_count(300); ++trial) {
        const auto n = static_cast<std::uint32_t>(kPairPadding + random() % kMaxDetections);
        const float extent = trial % 3 == 0 ? 1.0F : 0.0F;
        const float spread = trial % 2 == 0 ? 2000.0F : 0.0F;
        std::vector<Box> boxes;
        float least = std::numeric_limits<float>::infinity();
        float largest = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const Box box{(mantissas(random) - 0.75F) * spread, (mantissas(random) - 0.75F) * spread, any_side(),
                          any_side()};
            boxes.push_back(box);
            least = std::min({least, box.w, box.h});
            largest = std::max({largest, std::abs(box.x), std::abs(box.y), box.w, box.h});
        }
        std::vector<std::uint32_t> levels(n);
        const BoxExtremes extremes = find_levels(boxes.data(), n, extent, levels.data());
        EXPECT_EQ(extremes.least_side, least);
        EXPECT_EQ(extremes.largest_magnitude, largest);
        for (std::uint32_t i = 0; i < n; ++i) {
            const Box& box = boxes[i];
            const float covered = std::max((box.x + box.w) - box.x, (box.y + box.h) - box.y) + extent;
            const double bound = std::ldexp(1.0, 2 * static_cast<int>(levels[i]) - 126);
            EXPECT_LE(static_cast<double>(covered), bound) << "trial " << trial << ", box " << i;
            if (levels[i] == 0) continue;
            EXPECT_GT(static_cast<double>(covered) * (1 + 0x1p-19), bound / 4) << "trial " << trial << ", box " << i;
        }
    }
}

}  // namespace
}  // namespace throng::test
