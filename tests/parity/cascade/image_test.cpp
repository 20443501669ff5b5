// Gray conversion and resizing equal OpenCV's bit for bit.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <random>

#include "core/algo/gray.h"
#include "core/algo/resize_linear.h"
#include "core/cpu/image_kernels.h"
#include "tests/parity/cascade/compare.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

TEST(GrayParity, AllColors) {
    cv::Mat colors(256, 256 * 3, CV_8UC1);
    cv::Mat expected;
    std::vector<std::uint8_t> row(256);
    for (int blue = 0; blue < 256; ++blue) {
        cv::Mat bgr(256, 256, CV_8UC3);
        for (int green = 0; green < 256; ++green) {
            for (int red = 0; red < 256; ++red) {
                bgr.at<cv::Vec3b>(green, red) = cv::Vec3b(
                    static_cast<std::uint8_t>(blue), static_cast<std::uint8_t>(green), static_cast<std::uint8_t>(red));
            }
        }
        cv::cvtColor(bgr, expected, cv::COLOR_BGR2GRAY);
        for (int green = 0; green < 256; ++green) {
            gray_row(bgr.ptr(green), 256, row.data());
            for (int red = 0; red < 256; ++red) {
                const std::uint8_t requested = expected.at<std::uint8_t>(green, red);
                ASSERT_EQ(gray_of_bgr(blue, green, red), requested) << blue << " " << green << " " << red;
                ASSERT_EQ(row[static_cast<std::size_t>(red)], requested) << blue << " " << green << " " << red;
            }
        }
    }
}

TEST(ResizeParity, RandomSizes) {
    std::mt19937_64 random(seed(60));
    for (int round = 0; round < 150; ++round) {
        const auto size = [&](int max) { return 1 + static_cast<int>(random() % static_cast<std::uint64_t>(max)); };
        const cv::Mat source = noise_image(random(), size(200), size(200), 1 + round % 3);
        const int width = round % 5 == 0 ? source.cols : size(source.cols + 20);
        const int height = round % 7 == 0 ? source.rows : size(source.rows + 20);
        cv::Mat expected;
        cv::resize(source, expected, cv::Size(width, height), 0, 0, cv::INTER_LINEAR_EXACT);
        for (int y = 0; y < height; ++y) {
            const ResizeTap ty = resize_tap(y, source.rows, height);
            const int below = std::min(ty.offset + 1, source.rows - 1);
            for (int x = 0; x < width; ++x) {
                const ResizeTap tx = resize_tap(x, source.cols, width);
                const int right = std::min(tx.offset + 1, source.cols - 1);
                const int pixel = resize_pixel(
                    source.at<std::uint8_t>(ty.offset, tx.offset), source.at<std::uint8_t>(ty.offset, right),
                    source.at<std::uint8_t>(below, tx.offset), source.at<std::uint8_t>(below, right), tx, ty);
                ASSERT_EQ(pixel, expected.at<std::uint8_t>(y, x))
                    << source.cols << "x" << source.rows << " to " << width << "x" << height << " at " << x << "," << y;
            }
        }
    }
}

}  // namespace
}  // namespace throng::test
