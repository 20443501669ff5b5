// The grid must yield every box that the caller may need, for boxes of every kind.
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

TEST(BoxGrid, YieldsEveryPairThatReachesTheSmallestIou) {
    Random random(seed(11));
    BoxGrid grid;
    for (std::size_t trial = 0; trial < case_count(20000); ++trial) {
        const std::vector<Box> boxes = valid_boxes(random_nms_input(random, random() % 40));
        const float smallest[] = {0.0F, 0.05F, 0.3F, 0.5F, 0.9F, 1.0F};
        const float min_iou = smallest[random() % 6];
        const float extent = random() % 2 == 0 ? 0.0F : 1.0F;
        grid.build(boxes, extent, min_iou);
        for (std::uint32_t rank = 0; rank < boxes.size(); ++rank) grid.insert(rank);
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            std::set<std::uint32_t> found;
            grid.search(i, [&](const GridEntry& entry) {
                found.insert(entry.rank);
                return false;
            });
            for (std::uint32_t j = 0; j < boxes.size(); ++j) {
                const bool expected = min_iou > 0 ? pair_overlap(Overlap::iou, boxes[i], boxes[j], extent) >= min_iou
                                                  : intersection_area(boxes[i], boxes[j], extent) > 0;
                ASSERT_TRUE(!expected || found.count(j) == 1) << "trial " << trial << " pair " << i << ", " << j;
            }
        }
    }
}

TEST(BoxGrid, ClearRemovesInsertedBoxes) {
    const std::vector<Box> boxes = {{0, 0, 10, 10}, {1, 1, 10, 10}};
    BoxGrid grid;
    grid.build(boxes, 0, 0.5F);
    grid.insert(0);
    EXPECT_TRUE(grid.search(1, [](const GridEntry&) { return true; }));
    grid.clear();
    EXPECT_FALSE(grid.search(1, [](const GridEntry&) { return true; }));
    EXPECT_EQ(grid.by_location().size(), 2U);
}

}  // namespace
}  // namespace throng::test
