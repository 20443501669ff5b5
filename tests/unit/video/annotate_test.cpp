#include "core/video/annotate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace throng {
namespace {

WritableFrame canvas(int width, int height, int value) {
    FramePool pool;
    WritableFrame image = pool.take(PixelFormat::bgr24, width, height);
    std::memset(image.data(0), value, static_cast<std::size_t>(image.plane(0).pitch * height));
    return image;
}

std::size_t bytes_of(const WritableFrame& image) {
    return static_cast<std::size_t>(image.plane(0).pitch) * static_cast<std::size_t>(image.plane(0).height);
}

std::array<int, 3> pixel(WritableFrame& image, int x, int y) {
    const std::uint8_t* p = image.data(0) + y * image.plane(0).pitch + 3 * x;
    return {p[0], p[1], p[2]};
}

Detection detection(float x, float y, float w, float h, float score) {
    Detection result;
    result.box = {x, y, w, h};
    result.score = score;
    return result;
}

TEST(Annotate, KeptBoxesAreOutlinedInTheColorOfTheirScore) {
    WritableFrame image = canvas(200, 200, 128);
    annotate(image, {detection(20, 30, 60, 50, 1), detection(120, 120, 40, 40, 9)}, {}, {});
    const auto low = pixel(image, 20, 50);
    const auto high = pixel(image, 120, 140);
    EXPECT_NE(low, high);
    EXPECT_GT(low[2], low[1]) << "orange";
    EXPECT_GT(high[1], high[2]) << "green";
    EXPECT_EQ(pixel(image, 79, 60), low) << "the right edge is inside the box";
    EXPECT_EQ(pixel(image, 50, 79), low);
    EXPECT_EQ(pixel(image, 50, 55), (std::array<int, 3>{128, 128, 128}));
    EXPECT_EQ(pixel(image, 10, 10), (std::array<int, 3>{128, 128, 128}));
}

TEST(Annotate, BoxesInTheColorsOfTheScreen) {
    WritableFrame image = canvas(200, 200, 100);
    AnnotateStyle style;
    style.raw = style.screen = true;
    annotate(image, {detection(20, 30, 60, 50, 1), detection(120, 120, 40, 40, 9)}, {detection(120, 20, 50, 50, 1)},
             style);
    for (const auto& [x, y] : {std::pair{20, 50}, {120, 140}}) {
        EXPECT_EQ(pixel(image, x, y), (std::array<int, 3>{191, 230, 46})) << "whatever the score: #2ee6bf";
    }
    for (const int channel : pixel(image, 120, 40)) {
        EXPECT_NEAR(channel, 100 + (255 - 100) * 80 / 255.0, 1) << "white of opacity 80 of 255";
    }
}

TEST(Annotate, RawBoxesAreThinAndTranslucent) {
    WritableFrame image = canvas(100, 100, 100);
    AnnotateStyle style;
    annotate(image, {}, {detection(20, 20, 30, 30, 1)}, style);
    EXPECT_EQ(pixel(image, 20, 30)[0], 100) << "raw boxes are off by default";
    style.raw = true;
    annotate(image, {}, {detection(20, 20, 30, 30, 1)}, style);
    const auto edge = pixel(image, 20, 30);
    EXPECT_GT(edge[0], 100);
    EXPECT_LT(edge[0], 220);
    EXPECT_EQ(pixel(image, 21, 30)[0], 100) << "one pixel wide";
}

TEST(Annotate, BoxesOutsideTinyHugeOrNotFiniteAreHandled) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::nanf("");
    AnnotateStyle style;
    style.raw = style.labels = true;
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3, 200}, std::pair{64, 48}}) {
        WritableFrame image = canvas(width, height, 50);
        const std::vector<Detection> boxes = {detection(-50, -50, 20, 20, 1),
                                              detection(1e30F, 1e30F, 1e30F, 1e30F, 2),
                                              detection(-1e30F, -1e30F, 3e38F, 3e38F, 3),
                                              detection(nan, 0, 5, 5, 4),
                                              detection(0, 0, kInfinity, 5, 5),
                                              detection(0, 0, 0, 0, 6),
                                              detection(0.2F, 0.2F, 0.1F, 0.1F, 7),
                                              detection(-10, -10, 500, 500, nan),
                                              detection(-10, -10, 500, 500, 1e30F)};
        annotate(image, boxes, boxes, style);

        WritableFrame untouched = canvas(width, height, 50);
        const std::vector<Detection> outside = {detection(-50, -50, 20, 20, 1), detection(1e30F, 1e30F, 1, 1, 2),
                                                detection(nan, 0, 5, 5, 4)};
        annotate(untouched, outside, outside, style);
        WritableFrame before = canvas(width, height, 50);
        EXPECT_EQ(std::memcmp(untouched.data(0), before.data(0), bytes_of(before)), 0) << "nothing is in the image";
    }
}

// Counts the pixels that the label of a box changes.
int label_pixels(int width, int height, const Detection& box) {
    WritableFrame without = canvas(width, height, 30);
    WritableFrame with = canvas(width, height, 30);
    AnnotateStyle style;
    annotate(without, {box}, {}, style);
    style.labels = true;
    annotate(with, {box}, {}, style);
    int changed = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) changed += pixel(with, x, y) != pixel(without, x, y) ? 1 : 0;
    }
    return changed;
}

TEST(Annotate, LabelsStayInTheImage) {
    const int whole = label_pixels(400, 300, detection(150, 150, 38, 50, 3.14F));
    EXPECT_GT(whole, 50);
    for (const auto& [x, y] : {std::pair{80, 0}, std::pair{0, 0}, std::pair{80, 8}, std::pair{0, 8}}) {
        const Detection box = detection(static_cast<float>(x), static_cast<float>(y), 38, 50, 3.14F);
        EXPECT_GE(label_pixels(120, 60, box), whole * 3 / 4) << "the label of the box at " << x << ", " << y;
    }
}

}  // namespace
}  // namespace throng
