// The pixels of still images.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "tests/support/crowd_image.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

TEST(Image, LosslessFormatsKeepEveryPixel) {
    const ScratchDir scratch;
    for (const char* extension : {".png", ".bmp", ".tiff", ".ppm"}) {
        if (!cv::haveImageWriter(std::string("a") + extension)) continue;
        const cv::Mat image = gradient_image(37, 21, CV_8UC3);
        expect_same_pixels(
            load_image(write_bytes(scratch, std::string("a") + extension, encode_bytes(extension, image))).frame,
            image);
    }
    const cv::Mat gray = gradient_image(37, 21, CV_8UC1);
    for (const char* extension : {".png", ".pgm"}) {
        expect_same_pixels(
            load_image(write_bytes(scratch, std::string("g") + extension, encode_bytes(extension, gray))).frame, gray);
    }
}

TEST(Image, SixteenBitsAreScaled) {
    const ScratchDir scratch;
    expect_same_pixels(
        load_image(write_bytes(scratch, "g.png", encode_bytes(".png", gradient_image(20, 10, CV_16UC1)))).frame,
        gradient_image(20, 10, CV_8UC1));
    expect_same_pixels(
        load_image(write_bytes(scratch, "c.png", encode_bytes(".png", gradient_image(20, 10, CV_16UC3)))).frame,
        gradient_image(20, 10, CV_8UC3));
}

TEST(Image, JpegAndWebpOfAllKinds) {
    const ScratchDir scratch;
    const cv::Mat image(40, 60, CV_8UC3, cv::Scalar(40, 90, 200));
    std::vector<std::pair<std::string, Bytes>> files = {
        {"plain.jpg", encode_bytes(".jpg", image)},
        {"progressive.jpg", encode_bytes(".jpg", image, {cv::IMWRITE_JPEG_PROGRESSIVE, 1})}};
    if (cv::haveImageWriter("a.webp")) {
        files.emplace_back("a.webp", encode_bytes(".webp", image));
        files.emplace_back("lossless.webp", encode_bytes(".webp", image, {cv::IMWRITE_WEBP_QUALITY, 101}));
    }
    for (const auto& [name, bytes] : files) {
        const LoadedImage loaded = load_image(write_bytes(scratch, name, bytes));
        EXPECT_EQ(loaded.incomplete, "");
        ASSERT_EQ(loaded.frame.info().format, PixelFormat::bgr24) << name;
        EXPECT_EQ(loaded.frame.width(), 60);
        EXPECT_NEAR(loaded.frame.plane(0).data[0], 40, 4) << name;
        EXPECT_NEAR(loaded.frame.plane(0).data[2], 200, 4) << name;
    }
    const cv::Mat gray(40, 60, CV_8UC1, cv::Scalar(77));
    EXPECT_EQ(load_image(write_bytes(scratch, "gray.jpg", encode_bytes(".jpg", gray))).frame.info().format,
              PixelFormat::gray8);
}

TEST(Image, PixelsOfJpegAndWebpAreThoseOfOpencv) {
    const ScratchDir scratch;
    const cv::Mat image = gradient_image(61, 43, CV_8UC3);
    for (const int restart : {0, 4}) {
        const Bytes jpeg = encode_bytes(".jpg", image, {cv::IMWRITE_JPEG_RST_INTERVAL, restart});
        expect_same_pixels(load_image(write_bytes(scratch, "a.jpg", jpeg)).frame, cv::imdecode(jpeg, cv::IMREAD_COLOR));
    }
    const Bytes gray = encode_bytes(".jpg", gradient_image(61, 43, CV_8UC1));
    expect_same_pixels(load_image(write_bytes(scratch, "g.jpg", gray)).frame, cv::imdecode(gray, cv::IMREAD_GRAYSCALE));

    const cv::Mat crowd = test::crowd_image(true);
    write_bytes(scratch, "crowd.jpg", encode_bytes(".jpg", crowd, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}));
    std::vector<std::filesystem::path> files{scratch.path() / "crowd.jpg"};
    if (cv::haveImageWriter("a.webp")) {
        write_bytes(scratch, "crowd.webp", encode_bytes(".webp", crowd, {cv::IMWRITE_WEBP_QUALITY, 80}));
        files.push_back(scratch.path() / "crowd.webp");
    }
    if (const auto data = test::data_dir()) {
        for (const char* name : {"roth-selfie.jpg", "pif-homepage-banner.webp", "pif-reunion-19.jpg"}) {
            files.push_back(*data / "photos" / name);
        }
    }
    for (const std::filesystem::path& file : files) {
        SCOPED_TRACE(file);
        expect_same_pixels(load_image(file).frame, cv::imread(file.string(), cv::IMREAD_COLOR));
    }
}

TEST(Image, ValuesThatDoNotFitTheirTypeAreReported) {
    const ScratchDir scratch;
    const auto incomplete = [&](const std::string& name, const cv::Mat& image) {
        return load_image(write_bytes(scratch, name, encode_bytes(std::filesystem::path(name).extension(), image)))
            .incomplete;
    };
    cv::Mat deep = gradient_image(32, 16, CV_16UC1);
    EXPECT_EQ(incomplete("a.png", deep), "");
    EXPECT_NE(incomplete("b.png", deep * (4095.0 / 65535)).find("almost black"), std::string::npos);  // 12 bits
    cv::Mat real;
    gradient_image(32, 16, CV_8UC3).convertTo(real, CV_32F, 1.0 / 255);
    EXPECT_EQ(incomplete("c.tiff", real), "");
    EXPECT_NE(incomplete("d.tiff", real * 255).find("almost white"), std::string::npos);
}

TEST(Image, PagesOfATiffAreReported) {
    const ScratchDir scratch;
    const std::vector<cv::Mat> pages(3, gradient_image(20, 10, CV_8UC3));
    const std::string path = (scratch.path() / "pages.tiff").string();
    ASSERT_TRUE(cv::imwritemulti(path, pages));
    EXPECT_NE(load_image(path).incomplete.find("has 3 pages: only the first"), std::string::npos);
    EXPECT_THROW(check_single_page(read_image_file(path)), Error);
    EXPECT_EQ(load_image(write_bytes(scratch, "one.tiff", encode_bytes(".tiff", pages[0]))).incomplete, "");
    // A raw image of a camera begins with a preview: NewSubfileType, in place of the entry for no compression.
    Bytes raw = tiff_with_orientation(pages[0], 1);
    raw[10 + 12 * 3] = 254;
    raw[10 + 12 * 3 + 1] = 0;
    EXPECT_NE(load_image(write_bytes(scratch, "raw.dng", raw)).incomplete.find("only the preview"), std::string::npos);
}

}  // namespace
}  // namespace throng
