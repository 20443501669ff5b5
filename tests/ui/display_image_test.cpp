#include "ui/render/display_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/frame/frame_pool.h"
#include "tests/ui/fakes.h"
#include "ui/icons/icon_paths.h"
#include "ui/plot/history.h"

namespace throng::ui {
namespace {

// Returns a bgr24 frame: left half red, right half blue.
Frame two_colors(int width, int height) {
    static FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::bgr24, width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            std::uint8_t* pixel = frame.data(0) + frame.plane(0).pitch * y + 3 * x;
            const bool red = x < width / 2;
            pixel[0] = red ? 0 : 255;
            pixel[1] = 0;
            pixel[2] = red ? 255 : 0;
        }
    }
    return std::move(frame).finish();
}

ImageRequest request_for(Frame frame, QSizeF item) {
    auto result = std::make_shared<FrameResult>();
    result->frame = std::move(frame);
    result->kept.detections.push_back({{10, 10, 40, 40}, 1, 1});
    ImageRequest request;
    request.result = result;
    request.item = item;
    return request;
}

TEST(DisplayImage, HasTheFramesSizeAndColors) {
    ImageMaker maker;
    const DisplayImage image = maker.make(request_for(two_colors(101, 57), {800, 600}));
    ASSERT_EQ(image.image.size(), QSize(101, 57));
    EXPECT_EQ(image.image.pixelColor(5, 50), QColor(255, 0, 0));
    EXPECT_EQ(image.image.pixelColor(100, 56), QColor(0, 0, 255));
}

TEST(DisplayImage, IsScaledDownForASmallItem) {
    ImageMaker maker;
    EXPECT_EQ(maker.make(request_for(two_colors(4000, 2000), {800, 600})).image.size(), QSize(800, 400));
    EXPECT_EQ(maker.make(request_for(two_colors(1000, 500), {800, 600})).image.size(), QSize(1000, 500));
}

TEST(DisplayImage, PaintsBoxesAtScreenSize) {
    ImageMaker maker;
    ImageRequest request = request_for(two_colors(200, 100), {400, 400});
    request.paint_overlay = true;
    request.device_ratio = 2;
    const DisplayImage image = maker.make(request);
    ASSERT_EQ(image.image.size(), QSize(800, 400));                          // device pixels of the target
    EXPECT_EQ(image.image.pixelColor(40, 100), request.overlay.kept_color);  // on the box's left edge
    EXPECT_EQ(image.image.pixelColor(120, 120), QColor(255, 0, 0));
}

TEST(DisplayImage, BlurChangesFacesOnly) {
    // The face is a pattern of fine stripes.
    WritableFrame frame = FramePool().take(PixelFormat::gray8, 200, 200);
    for (int y = 0; y < 200; ++y) {
        for (int x = 0; x < 200; ++x) frame.data(0)[frame.plane(0).pitch * y + x] = x % 2 == 0 ? 0 : 255;
    }
    frame.info().range = ColorRange::full;
    auto result = std::make_shared<FrameResult>();
    result->frame = std::move(frame).finish();
    result->plan.emplace();
    result->plan->regions.push_back({{60, 60, 80, 80}});
    result->plan->regions.push_back({{190, -30, 80, 80}});  // extends beyond the frame
    ImageRequest request;
    request.result = result;
    request.item = {200, 200};
    request.blur = true;
    const QImage image = ImageMaker().make(request).image;
    std::set<int> outside;
    for (int x = 60; x < 140; ++x) EXPECT_NEAR(qGray(image.pixel(x, 100)), 128, 8);
    for (int x = 0; x < 35; ++x) outside.insert(qGray(image.pixel(x, 100)));
    EXPECT_EQ(outside, (std::set<int>{0, 255}));

    request.item = {50, 50};  // the image is made at this size
    request.paint_overlay = true;
    const QImage small = ImageMaker().make(request).image;
    ASSERT_EQ(small.size(), QSize(50, 50));

    result->plan.reset();  // nothing is known: the frame is hidden whole
    request.item = {200, 200};
    request.paint_overlay = false;
    const QImage whole = ImageMaker().make(request).image;
    for (int x = 0; x < 200; ++x) EXPECT_NEAR(qGray(whole.pixel(x, 100)), 128, 8);
}

// With keep_on_device a frame stays in device memory; drawing into the image requires a host copy.
TEST(DisplayImage, KeepsADeviceFrameOnTheDeviceIfNothingIsDrawnIntoIt) {
    ImageMaker maker;
    ImageRequest request = request_for(test::device_frame(64, 48), {64, 48});
    const auto image_of = [&](const ImageRequest& expected) { return maker.make(expected).image; };
    EXPECT_EQ(image_of(request).size(), QSize(64, 48)) << "keep_on_device is off";
    request.keep_on_device = true;
    EXPECT_TRUE(image_of(request).isNull());
    EXPECT_EQ(maker.make(request).result, request.result);
    EXPECT_FALSE(maker.make(request).hides_faces);
    ImageRequest blurred = request;
    blurred.blur = true;
    EXPECT_TRUE(image_of(blurred).isNull());
    EXPECT_TRUE(maker.make(blurred).on_device);
    EXPECT_TRUE(maker.make(blurred).hides_faces) << "the device hides them";
    ImageRequest painted = request;
    painted.paint_overlay = true;
    EXPECT_FALSE(image_of(painted).isNull());
    ImageRequest host_request = request_for(two_colors(64, 48), {64, 48});
    host_request.keep_on_device = true;
    EXPECT_FALSE(image_of(host_request).isNull());
}

TEST(DisplayImage, ReusesImagesThatAreNoLongerHeld) {
    ImageMaker maker;
    const ImageRequest request = request_for(two_colors(64, 64), {64, 64});
    DisplayImage held = maker.make(request);
    const uchar* first = held.image.constBits();
    EXPECT_NE(maker.make(request).image.constBits(), first);
    held = {};
    std::set<const uchar*> used;
    for (int i = 0; i < 20; ++i) used.insert(maker.make(request).image.constBits());
    EXPECT_LE(used.size(), 3U);
}

TEST(DisplayImage, AcceptsAnotherSizeForEachFrame) {
    ImageMaker maker;
    for (const QSize size : {QSize(1, 1), QSize(640, 480), QSize(3, 2000), QSize(17, 5)}) {
        EXPECT_EQ(maker.make(request_for(two_colors(size.width(), size.height()), {4000, 4000})).image.size(), size);
    }
}

TEST(History, DropsTheOldest) {
    History history;
    FrameResult result;
    result.timings = {{stage::kNmsMap, 2.0}};
    for (std::uint32_t i = 0; i < History::kLength + 5; ++i) {
        result.raw_count = i;
        history.add(result);
    }
    ASSERT_EQ(history.points().size(), History::kLength);
    EXPECT_EQ(history.points().front().raw, 5);
    EXPECT_EQ(history.points().back().map_ms, 2.0);
    EXPECT_FALSE(history.points().back().reduce_ms);  // did not run: empty, not 0
}

TEST(History, ScalesToItsValues) {
    History history;
    FrameResult result;
    result.raw_count = 1234;
    result.timings = {{stage::kNmsMap, 2.4}, {stage::kNmsReduce, 0.3}};
    history.add(result);
    EXPECT_EQ(history.raw_scale(), 2000);
    EXPECT_EQ(history.ms_scale(), 5);
}

TEST(Icons, FitTheirGrid) {
    ASSERT_GT(icon_names().size(), 20);
    for (const QString& name : icon_names()) {
        const IconPath* icon = find_icon(name);
        const QRectF bounds = icon->strokes.boundingRect().united(icon->fills.boundingRect());
        EXPECT_GE(bounds.width(), 6) << name.toStdString();
        EXPECT_TRUE(QRectF(0, 0, kIconGrid, kIconGrid).contains(bounds.center())) << name.toStdString();
        EXPECT_LE(std::max(bounds.right(), bounds.bottom()), kIconGrid) << name.toStdString();
        EXPECT_GE(std::min(bounds.left(), bounds.top()), 0) << name.toStdString();
    }
    EXPECT_EQ(find_icon("no such icon"), nullptr);
}

}  // namespace
}  // namespace throng::ui
