#include "ui/render/view_mapping.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tests/support/random.h"

namespace throng::ui {
namespace {

TEST(ViewMapping, LetterboxesAWideFrame) {
    const ViewMapping mapping({800, 600}, {1920, 1080});
    EXPECT_EQ(mapping.target(), QRectF(0, 75, 800, 450));
    EXPECT_EQ(mapping.map({960, 540, 192, 108}), QRectF(400, 300, 80, 45));
}

TEST(ViewMapping, PillarboxesATallFrame) {
    const ViewMapping mapping({800, 600}, {300, 600});
    EXPECT_EQ(mapping.target(), QRectF(250, 0, 300, 600));
}

TEST(ViewMapping, IsEmptyForAnEmptyItemOrFrame) {
    EXPECT_TRUE(ViewMapping({0, 600}, {300, 600}).empty());
    EXPECT_TRUE(ViewMapping({800, 600}, {0, 0}).empty());
    EXPECT_TRUE(ViewMapping().empty());
}

TEST(ViewMapping, ShowsAOnePixelFrame) {
    const ViewMapping mapping({800, 600}, {1, 1});
    EXPECT_EQ(mapping.target(), QRectF(100, 0, 600, 600));
}

TEST(ViewMapping, MagnifiesAroundThePointInTheMiddle) {
    const ViewMapping mapping({800, 600}, {1920, 1080}, 1, {4, {0.25, 0.5}});
    EXPECT_EQ(mapping.device_size(), QSize(3200, 1800));
    EXPECT_EQ(mapping.to_frame({400, 300}), QPointF(480, 540));
    EXPECT_EQ(mapping.map_part(mapping.visible_part()), QRectF(0, 0, 800, 600));
    // Near the edge the frame covers the item all the same.
    EXPECT_EQ(ViewMapping({800, 600}, {1920, 1080}, 1, {4, {0, 1}}).target().bottomLeft(), QPointF(0, 600));
    // A frame that is still lower than the item is centered.
    EXPECT_EQ(ViewMapping({800, 600}, {1920, 480}, 1, {2, {0.5, 0}}).target(), QRectF(-400, 100, 1600, 400));
}

TEST(ViewMapping, AVeryWideFrameKeepsAtLeastOneRow) {
    EXPECT_EQ(ViewMapping({100, 100}, {20000, 1}).device_size(), QSize(100, 1));
}

// The whole frame maps to the target. The target is inside the item, on whole device pixels, in the frame's aspect
// ratio.
TEST(ViewMapping, PropertiesOnRandomSizes) {
    std::mt19937_64 random(test::seed(11));
    for (int i = 0; i < 2000; ++i) {
        const double ratio = std::array{1.0, 1.25, 1.5, 2.0, 3.0}[random() % 5];
        const QSizeF item(1 + static_cast<int>(random() % 3000), 1 + static_cast<int>(random() % 2000));
        const QSize frame(1 + static_cast<int>(random() % 8000), 1 + static_cast<int>(random() % 8000));
        const ViewMapping mapping(item, frame, ratio);
        const QRectF target = mapping.target();
        const QRectF whole = mapping.map({0, 0, static_cast<float>(frame.width()), static_cast<float>(frame.height())});
        EXPECT_NEAR(whole.left(), target.left(), 1e-6);
        EXPECT_NEAR(whole.right(), target.right(), 1e-6);
        EXPECT_NEAR(whole.bottom(), target.bottom(), 1e-6);
        const double slack = 1 / ratio + 1e-9;  // at least one device pixel is shown
        EXPECT_GE(target.left(), -slack);
        EXPECT_LE(target.right(), item.width() + slack);
        EXPECT_LE(target.bottom(), item.height() + slack);
        EXPECT_NEAR(target.left() * ratio, std::round(target.left() * ratio), 1e-6);
        EXPECT_NEAR(target.width() * ratio, mapping.device_size().width(), 1e-6);
        const double scale = std::min(item.width() / frame.width(), item.height() / frame.height());
        EXPECT_NEAR(target.width(), std::max(1 / ratio, frame.width() * scale), slack / 2 + 1e-6);
        EXPECT_NEAR(target.height(), std::max(1 / ratio, frame.height() * scale), slack / 2 + 1e-6);
    }
}

}  // namespace
}  // namespace throng::ui
