// The grid must yield the pairs that reach the threshold and no others, for boxes of every kind.
#include "core/cpu/nms_grid.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/nms_cases.h"
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

}  // namespace
}  // namespace throng::test
