#include "core/model/cnn_plan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/model/onnx.pb.h"
#include "core/model/onnx_reader.h"
#include "tests/support/onnx_maker.h"

namespace throng {
namespace {

class CnnPlanning : public ::testing::Test {
protected:
    Network network_ = parse_onnx(test::bytes_of(test::tiny_yunet(1)), "m.onnx");
    DetectorParams params_ = detector_kind("cnn").params;

    CnnPlan plan(int width, int height) { return plan_passes(network_, width, height, params_, CnnInput::native); }
};

TEST_F(CnnPlanning, StartsAtTheScaleOfTheSmallestFace) {
    params_.min_size = 20;
    const CnnPlan found = plan(1280, 720);
    EXPECT_EQ(found.passes.front().content_width, 640);
    EXPECT_FLOAT_EQ(found.passes.front().placement.scale_x, 2.0F);
    params_.min_size = 5;
    EXPECT_EQ(plan(1280, 720).passes.front().content_width, 2560);
}

TEST_F(CnnPlanning, EndsAtTheScaleOfAFaceAsLargeAsTheFrame) {
    const CnnPlan found = plan(1920, 1080);
    const CnnPass& last = found.passes.back();
    EXPECT_LE(1920.0F / last.placement.scale_x, kFaceReach.max_object);
    EXPECT_GT(found.passes.size(), 1U);
    params_.max_size = 100;
    EXPECT_EQ(plan(1920, 1080).passes.size(), 1U);
}

TEST_F(CnnPlanning, InputsAreMultiplesAndCoverTheFrame) {
    for (const auto& [width, height] :
         {std::pair{1, 1}, {31, 33}, {640, 480}, {1921, 1079}, {7680, 4320}, {20000, 37}}) {
        for (const CnnPass& pass : plan(width, height).passes) {
            EXPECT_EQ(pass.width % 32, 0);
            EXPECT_EQ(pass.height % 32, 0);
            EXPECT_LE(pass.width, kMaxTileWidth);
            EXPECT_LE(pass.height, kMaxTileHeight);
            EXPECT_GE(pass.width, pass.content_width);
            EXPECT_GE(pass.placement.origin_x, 0.0F);
            EXPECT_LE(pass.placement.origin_x + static_cast<float>(pass.content_width) * pass.placement.scale_x,
                      static_cast<float>(width) * 1.0001F);
        }
    }
}

// Every point of an 8K frame is in the core of exactly one tile of each scale.
TEST_F(CnnPlanning, TileCoresPartitionTheFrame) {
    params_.max_size = 100;
    const CnnPlan found = plan(7680, 4320);
    ASSERT_GT(found.passes.size(), 1U);
    for (float y = 3.0F; y < 4320.0F; y += 97.0F) {
        for (float x = 3.0F; x < 7680.0F; x += 89.0F) {
            int owners = 0;
            for (const CnnPass& pass : found.passes) {
                const float at_x = (x - pass.placement.origin_x) / pass.placement.scale_x;
                const float at_y = (y - pass.placement.origin_y) / pass.placement.scale_y;
                const bool owner = in_core({at_x, at_y, 0, 0}, pass.core);
                const float margin = kFaceReach.max_object / 2 - 1;
                // A face of the maximum size around a center in the core is completely inside, or ends at the frame's
                // edge.
                if (owner) {
                    EXPECT_TRUE(at_x >= margin || pass.placement.origin_x == 0.0F);
                    EXPECT_TRUE(at_y >= margin || pass.placement.origin_y == 0.0F);
                }
                owners += owner && at_x >= 0 && at_y >= 0 && at_x < static_cast<float>(pass.content_width) &&
                          at_y < static_cast<float>(pass.content_height);
            }
            ASSERT_EQ(owners, 1) << x << " " << y;
        }
    }
}

TEST_F(CnnPlanning, LetterboxIsOnePassOfTheModelFilesSize) {
    const CnnPlan found = plan_passes(network_, 1280, 720, params_, CnnInput::letterbox);
    ASSERT_EQ(found.passes.size(), 1U);
    EXPECT_EQ(found.passes[0].width, 64);
    EXPECT_EQ(found.passes[0].content_width, 64);
    EXPECT_EQ(found.passes[0].content_height, 36);
}

// Large people need no smaller scale, and a larger input would find no smaller ones.
TEST_F(CnnPlanning, PeopleAreFoundInOnePass) {
    network_ = parse_onnx(test::bytes_of(test::tiny_yolox(1)), "m.onnx");
    params_ = detector_kind("person").params;
    for (const auto& [min_size, width] : {std::pair{1, 1280}, {16, 1280}, {32, 640}}) {
        params_.min_size = min_size;
        const CnnPlan found = plan(1280, 720);
        ASSERT_EQ(found.passes.size(), 1U);
        EXPECT_EQ(found.passes[0].content_width, width);
        EXPECT_EQ(found.passes[0].height % 32, 0);
    }
    params_.min_size = 16;
    const CnnPlan tiles = plan(7680, 4320);
    ASSERT_EQ(tiles.passes.size(), 9U);
    EXPECT_EQ(tiles.passes[0].core.right, static_cast<float>(tiles.passes[0].width - kPersonReach.overlap / 2));
}

TEST_F(CnnPlanning, EachFamilyHasItsOwnThreshold) {
    params_.score_threshold.reset();
    EXPECT_LT(cnn_score_threshold(params_, HeadFamily::yunet), cnn_score_threshold(params_, HeadFamily::ultraface));
    EXPECT_LT(cnn_score_threshold(params_, HeadFamily::yolox), cnn_score_threshold(params_, HeadFamily::yunet));
    EXPECT_LT(cnn_score_threshold(params_, HeadFamily::yunet), cnn_score_threshold(params_, HeadFamily::retinaface));
    params_.score_threshold = 0.3F;
    EXPECT_EQ(cnn_score_threshold(params_, HeadFamily::yunet), 0.3F);
    EXPECT_EQ(cnn_score_threshold(params_, HeadFamily::ultraface), 0.3F);
}

TEST_F(CnnPlanning, RejectsInvalidParameters) {
    params_.switches["input"] = "sideways";
    EXPECT_THROW(static_cast<void>(cnn_input_choice(params_)), Error);
    params_.switches = {{"nosuch", "on"}};
    EXPECT_THROW(static_cast<void>(cnn_input_choice(params_)), Error);
    for (const float threshold : {0.0F, -1.0F, 1.5F}) {
        params_.score_threshold = threshold;
        EXPECT_THROW(static_cast<void>(cnn_score_threshold(params_, HeadFamily::yunet)), Error);
    }
}

TEST(CnnColors, ConvertTheCornersOfTheColorCube) {
    FrameInfo info;
    info.format = PixelFormat::nv12;
    for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020}) {
        info.matrix = matrix;
        info.range = ColorRange::limited;
        const CnnPixel white = cnn_color(cnn_color_of(info), 235, 128, 128);
        EXPECT_NEAR(white.blue, 255, 0.01F);
        EXPECT_NEAR(white.green, 255, 0.01F);
        const CnnPixel black = cnn_color(cnn_color_of(info), 16, 128, 128);
        EXPECT_NEAR(black.red, 0, 0.01F);
        info.range = ColorRange::full;
        EXPECT_NEAR(cnn_color(cnn_color_of(info), 100, 128, 128).green, 100, 0.01F);
    }
    // ITU-R BT.709, limited range: red is Y 63, Cb 102, Cr 240.
    info.matrix = ColorMatrix::bt709;
    info.range = ColorRange::limited;
    const CnnPixel red = cnn_color(cnn_color_of(info), 63, 102, 240);
    EXPECT_NEAR(red.red, 255, 1.5F);
    EXPECT_NEAR(red.green, 0, 1.5F);
    EXPECT_NEAR(red.blue, 0, 1.5F);
}

}  // namespace
}  // namespace throng
