// The parts of the matrix engine that need no GPU: the fast test of pairs and the layout of the matrix.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/nms/matrix_layout.h"
#include "gpu/nms/pair_margin.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

struct Decisions {
    std::size_t sure = 0;
    std::size_t uncertain = 0;
};

template <Overlap kOverlap, PixelConvention kPixels>
void expect_exact(const NmsInput& input, float theta, Decisions& decisions) {
    const float extent = pixel_extent(kPixels);
    const gpu::PairMarginRule rule = gpu::make_pair_margin_rule(kOverlap, theta);
    ASSERT_TRUE(std::isfinite(rule.tolerance));
    for (std::size_t i = 0; i < input.boxes.size(); ++i) {
        const Box a = input.boxes[i];
        if (!is_valid_detection(a, 0.0F) || !gpu::is_regular(a, extent)) continue;
        const gpu::PairBox mine = gpu::make_pair_box(a, extent, rule);
        const float tolerance = rule.tolerance * mine.share;
        EXPECT_LT((gpu::pair_margin<kOverlap, kPixels>(mine, gpu::no_pair_box())), -tolerance);
        for (const Box& b : input.boxes) {
            if (!is_valid_detection(b, 0.0F) || !gpu::is_regular(b, extent)) continue;
            const float margin = gpu::pair_margin<kOverlap, kPixels>(mine, gpu::make_pair_box(b, extent, rule));
            const bool sure = std::fabs(margin) > tolerance;
            ++(sure ? decisions.sure : decisions.uncertain);
            if (sure) {
                ASSERT_EQ(margin > 0.0F, overlap_suppresses(kOverlap, a, b, extent, theta))
                    << a.x << " " << a.y << " " << a.w << " " << a.h << ", " << b.x << " " << b.y << " " << b.w << " "
                    << b.h << ", theta " << theta;
            }
        }
    }
}

// Where the fast test is sure, it agrees with the rule. Boxes on a coarse raster reach thresholds exactly.
TEST(PairMargin, AgreesWithTheRule) {
    Random random(seed(71));
    const auto uniform = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random);
    };
    Decisions decisions;
    for (std::size_t c = 0; c < case_count(300); ++c) {
        NmsInput input = random_nms_input(random, 60);
        if (c % 3 == 0) input = clusters_input(random, 60, 20);
        if (c % 3 == 1) {
            for (Box& b : input.boxes)
                b = {std::floor(uniform(0, 20)), std::floor(uniform(0, 20)), 12, std::floor(uniform(10, 14))};
        }
        const float theta = c % 2 == 0 ? 0.5F : uniform(0.001F, 1.0F);
        expect_exact<Overlap::iou, PixelConvention::continuous>(input, theta, decisions);
        expect_exact<Overlap::iou, PixelConvention::inclusive>(input, theta, decisions);
        expect_exact<Overlap::suppressor, PixelConvention::continuous>(input, theta, decisions);
        expect_exact<Overlap::suppressor, PixelConvention::inclusive>(input, theta, decisions);
        expect_exact<Overlap::min, PixelConvention::continuous>(input, theta, decisions);
        expect_exact<Overlap::min, PixelConvention::inclusive>(input, theta, decisions);
    }
    EXPECT_GT(decisions.uncertain, 0U);  // the cases reach the limit of certainty
    EXPECT_LT(decisions.uncertain, decisions.sure / 10);
}

TEST(MatrixLayout, RowsAndUnitsAreContiguous) {
    using namespace gpu::matrix;
    std::size_t words = 0;
    for (std::uint32_t row = 0; row < 16384; ++row) {
        ASSERT_EQ(row_start(row), words);
        ASSERT_GT(row_words(row) * kTile, row);
        words += row_words(row);
    }
    std::uint32_t units = 0;
    for (std::uint32_t tile = 0; tile < 512; ++tile) {
        ASSERT_EQ(units_of(tile), units);
        for (std::uint32_t group = 0; group <= tile / kGroupTiles; ++group, ++units) {
            ASSERT_EQ(unit_at(units).tile, tile);
            ASSERT_EQ(unit_at(units).group, group);
        }
    }
}

}  // namespace
}  // namespace throng::test
