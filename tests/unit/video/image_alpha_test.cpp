// Transparent pixels of still images.
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "core/video/image_file.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

TEST(Image, TransparentPixelsAreComposedOverWhite) {
    const ScratchDir scratch;
    cv::Mat image(1, 3, CV_8UC4);
    image.at<cv::Vec4b>(0, 0) = {10, 20, 30, 255};
    image.at<cv::Vec4b>(0, 1) = {10, 20, 30, 0};
    image.at<cv::Vec4b>(0, 2) = {0, 0, 0, 128};
    const Frame frame = load_image(write_bytes(scratch, "a.png", encode_bytes(".png", image))).frame;
    const std::uint8_t* pixels = frame.plane(0).data;
    EXPECT_EQ(Bytes(pixels, pixels + 9), (Bytes{10, 20, 30, 255, 255, 255, 127, 127, 127}));
}

// A bitmap of one row with 32 bits per pixel. masks: those of red, green, blue and alpha, after the header of 40 bytes or
// in a longer one.
Bytes bitmap(std::size_t header, std::uint32_t compression, std::vector<std::uint32_t> masks,
             const std::vector<std::uint32_t>& pixels) {
    Bytes bytes = {'B', 'M'};
    const auto number = [&](std::size_t value, int size) {
        for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    };
    const std::size_t after = header == 40 ? 4 * masks.size() : 0;
    number(14 + header + after + 4 * pixels.size(), 4);
    number(0, 4);
    number(14 + header + after, 4);
    number(header, 4);
    number(pixels.size(), 4);
    number(1, 4);
    number(1, 2);
    number(32, 2);
    number(compression, 4);
    number(4 * pixels.size(), 4);
    for (int i = 0; i < 4; ++i) number(0, 4);
    for (const std::uint32_t mask : masks) number(mask, 4);
    bytes.resize(14 + header + after);
    for (const std::uint32_t pixel : pixels) number(pixel, 4);
    return bytes;
}

TEST(Image, OnlyAMaskMakesTheFourthChannelOfABitmapAlpha) {
    const ScratchDir scratch;
    const std::vector<std::uint32_t> pixels = {0x00102030, 0x80102030, 0xFF102030};
    const std::vector<std::uint32_t> colors = {0xFF0000, 0xFF00, 0xFF};
    std::vector<std::uint32_t> no_alpha = colors;
    no_alpha.push_back(0);
    std::vector<std::uint32_t> alpha = colors;
    alpha.push_back(0xFF000000);
    const auto read = [&](const Bytes& bytes) { return load_image(write_bytes(scratch, "a.bmp", bytes)); };
    for (const Bytes& bytes : {bitmap(40, 0, {}, pixels), bitmap(40, 3, colors, pixels), bitmap(52, 3, colors, pixels),
                               bitmap(56, 3, no_alpha, pixels), bitmap(108, 3, no_alpha, pixels),
                               bitmap(124, 3, no_alpha, pixels), bitmap(124, 0, {}, pixels)}) {
        const LoadedImage loaded = read(bytes);
        SCOPED_TRACE("header of " + std::to_string(bytes[14]) + " bytes");
        EXPECT_FALSE(loaded.composed);
        for (int x = 0; x < 3; ++x) {
            EXPECT_EQ(loaded.frame.plane(0).data[3 * x], 0x30) << x;
            EXPECT_EQ(loaded.frame.plane(0).data[3 * x + 2], 0x10) << x;
        }
    }
    for (const Bytes& bytes : {bitmap(108, 3, alpha, pixels), bitmap(124, 3, alpha, pixels)}) {
        const LoadedImage loaded = read(bytes);
        EXPECT_TRUE(loaded.composed);
        EXPECT_EQ(loaded.frame.plane(0).data[0], 255);
        EXPECT_NEAR(loaded.frame.plane(0).data[3], 0x30 / 2 + 127, 1);
        EXPECT_EQ(loaded.frame.plane(0).data[6], 0x30);
    }
}

TEST(Image, OnlyExtraSamplesOfAlphaMakeATiffTransparent) {
    const ScratchDir scratch;
    for (const int type : {CV_8UC4, CV_16UC4}) {
        const double range = type == CV_8UC4 ? 255 : 65535;
        for (const int kind : {0, 1, 2}) {  // unspecified, associated, unassociated
            SCOPED_TRACE(std::to_string(type) + ", " + std::to_string(kind));
            cv::Mat image(4, 4, type, cv::Scalar(range * 0.4, range * 0.4, range * 0.4, range));
            image(cv::Rect(0, 0, 2, 4)).setTo(cv::Scalar(range * 0.2, range * 0.2, range * 0.2, range * 0.5));
            Bytes tiff = tiff_with_orientation(image, 1);
            tiff[10 + 12 * 10 + 8] = static_cast<std::uint8_t>(kind);
            const LoadedImage loaded = load_image(write_bytes(scratch, "a.tif", tiff));
            EXPECT_EQ(loaded.composed, kind != 0);
            const int expected = kind == 0 ? 51 : kind == 1 ? 51 + 128 : 51 / 2 + 128;
            EXPECT_NEAR(loaded.frame.plane(0).data[0], expected, 2);
            EXPECT_NEAR(loaded.frame.plane(0).data[9], 102, 1);
        }
    }
}

}  // namespace
}  // namespace throng
