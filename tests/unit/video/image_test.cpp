// The pixels of still images.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "tests/support/crowd_image.h"
#include "tests/support/video_files.h"
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

// Returns an icon with these images: width, height and content.
Bytes icon_of(const std::vector<std::tuple<int, int, Bytes>>& images) {
    Bytes icon = {0, 0, 1, 0, static_cast<std::uint8_t>(images.size()), 0};
    std::size_t offset = 6 + 16 * images.size();
    const auto put = [&icon](std::size_t value) {
        for (int shift = 0; shift < 32; shift += 8) icon.push_back(static_cast<std::uint8_t>(value >> shift));
    };
    for (const auto& [width, height, content] : images) {
        icon.insert(icon.end(),
                    {static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(height), 0, 0, 1, 0, 32, 0});
        put(content.size());
        put(offset);
        offset += content.size();
    }
    for (const auto& [width, height, content] : images) icon.insert(icon.end(), content.begin(), content.end());
    return icon;
}

TEST(Image, AnIconIsItsLargestImage) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const cv::Mat large = gradient_image(64, 48, CV_8UC3);
    const cv::Mat small = gradient_image(16, 16, CV_8UC3);
    const Bytes png = encode_bytes(".png", large);
    const Bytes icon = icon_of({{16, 16, encode_bytes(".png", small)}, {64, 48, png}, {16, 16, Bytes(40, 0)}});
    const LoadedImage loaded = load_image(write_bytes(scratch, "a.ico", icon));
    EXPECT_EQ(loaded.incomplete, "");
    expect_same_pixels(loaded.frame, large);
    const auto header = read_image_header(scratch.path() / "a.ico", ImagePart::size);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->width, 64);
    EXPECT_EQ(header->height, 48);

    // As a bitmap, by another program: with and without an alpha channel, and with a palette.
    write_bytes(scratch, "large.png", png);
    const std::string from = "-i " + (scratch.path() / "large.png").string() + " -c:v bmp -pix_fmt ";
    for (const std::string format : {"bgra", "bgr24"}) {
        SCOPED_TRACE(format);
        test::ffmpeg(from + format, scratch.path() / "b.ico");
        expect_same_pixels(load_image(scratch.path() / "b.ico").frame, large);
    }
    test::ffmpeg(from + "pal8 -vf format=gray,format=pal8", scratch.path() / "p.ico");
    EXPECT_EQ(load_image(scratch.path() / "p.ico").frame.height(), 48);

    cv::Mat clear(32, 32, CV_8UC4, cv::Scalar(10, 20, 30, 0));
    write_bytes(scratch, "clear.png", encode_bytes(".png", clear));
    clear.at<cv::Vec4b>(0, 0) = {10, 20, 30, 255};
    write_bytes(scratch, "dot.png", encode_bytes(".png", clear));
    const auto pixels_of = [&](const std::string& name) {
        test::ffmpeg("-i " + (scratch.path() / name).string() + " -c:v bmp -pix_fmt bgra", scratch.path() / "c.ico");
        return load_image(scratch.path() / "c.ico");
    };
    const LoadedImage opaque = pixels_of("clear.png");
    EXPECT_FALSE(opaque.composed) << "an alpha channel of zeros has no meaning";
    EXPECT_EQ(opaque.frame.plane(0).data[0], 10);
    const LoadedImage dot = pixels_of("dot.png");
    EXPECT_TRUE(dot.composed);
    EXPECT_EQ(dot.frame.plane(0).data[0], 10);
    EXPECT_EQ(dot.frame.plane(0).data[3], 255) << "white where it is transparent";

    for (std::size_t size = 0; size < icon.size(); size += 7) {
        const auto cut =
            write_bytes(scratch, "cut.ico", Bytes(icon.begin(), icon.begin() + static_cast<std::ptrdiff_t>(size)));
        try {
            static_cast<void>(load_image(cut));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
        }
    }
}

TEST(Image, TheReservedByteOfAnIconIs0Or255) {
    const ScratchDir scratch;
    const cv::Mat image = gradient_image(64, 48, CV_8UC3);
    Bytes icon = icon_of({{64, 48, encode_bytes(".png", image)}});
    icon[6 + 3] = 255;
    expect_same_pixels(load_image(write_bytes(scratch, "a.ico", icon)).frame, image);
}

TEST(Image, TheSizeOfAnIconIsThatOfItsImage) {
    const ScratchDir scratch;
    const cv::Mat image = gradient_image(300, 200, CV_8UC3);
    const Bytes distant(200000, 0);  // more than is read at first
    const std::string path =
        write_bytes(scratch, "a.ico", icon_of({{8, 8, distant}, {16, 16, encode_bytes(".png", image)}}));
    const auto header = read_image_header(path, ImagePart::size);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->width, 300);
    EXPECT_EQ(header->height, 200);
    expect_same_pixels(load_image(path).frame, image);
}

TEST(Image, OfTwoImagesOfOneSizeAnIconIsTheDeeper) {
    const ScratchDir scratch;
    const cv::Mat deep = gradient_image(64, 48, CV_8UC3);
    const cv::Mat flat(48, 64, CV_8UC3, cv::Scalar(10, 20, 30));
    Bytes icon = icon_of({{64, 48, encode_bytes(".png", deep)}, {64, 48, encode_bytes(".png", flat)}});
    icon[6 + 16 + 6] = 4;
    expect_same_pixels(load_image(write_bytes(scratch, "a.ico", icon)).frame, deep);
    icon[2] = 2;  // in a cursor, the number is where it points
    expect_same_pixels(load_image(write_bytes(scratch, "a.cur", icon)).frame, flat);
}

// Returns the bitmap of an icon with what its header says and a table of colors or masks behind it. Sides below 128.
Bytes icon_bitmap(const cv::Mat& image, std::uint8_t compression, std::uint8_t colors, const Bytes& table) {
    Bytes bitmap(40, 0);
    bitmap[0] = 40;
    bitmap[4] = static_cast<std::uint8_t>(image.cols);
    bitmap[8] = static_cast<std::uint8_t>(2 * image.rows);
    bitmap[12] = 1;
    bitmap[14] = static_cast<std::uint8_t>(8 * image.elemSize());
    bitmap[16] = compression;
    bitmap[32] = colors;
    append(bitmap, table);
    for (int y = image.rows - 1; y >= 0; --y) append(bitmap, Bytes(image.ptr(y), image.ptr(y) + image.step[0]));
    append(bitmap, Bytes(static_cast<std::size_t>(image.cols / 8 * image.rows), 0));
    return bitmap;
}

TEST(Image, ABitmapOfAnIconMayHaveColorsAndMasks) {
    const ScratchDir scratch;
    const cv::Mat image = gradient_image(64, 48, CV_8UC3);
    cv::Mat bgra;
    cv::cvtColor(image, bgra, cv::COLOR_BGR2BGRA);
    cv::Mat rgba;
    cv::cvtColor(image, rgba, cv::COLOR_BGR2RGBA);
    const Bytes two_colors(8, 77);
    const Bytes masks = {0xFF, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0xFF, 0};  // of red, green and blue
    Bytes with_alpha = masks;
    append(with_alpha, {0, 0, 0, 0xFF});
    const auto path_of = [&](const Bytes& bitmap) {
        return write_bytes(scratch, "a.ico", icon_of({{64, 48, bitmap}}));
    };
    for (const Bytes& bitmap : {icon_bitmap(image, 0, 2, two_colors), icon_bitmap(bgra, 0, 2, two_colors),
                                icon_bitmap(rgba, 3, 0, masks), icon_bitmap(rgba, 6, 0, with_alpha)}) {
        SCOPED_TRACE(int{bitmap[14]} * 10 + bitmap[16]);
        const LoadedImage loaded = load_image(path_of(bitmap));
        EXPECT_EQ(loaded.incomplete, "");
        expect_same_pixels(loaded.frame, image);
    }
    Bytes endless = icon_bitmap(image, 0, 2, two_colors);
    std::fill_n(endless.begin() + 32, 4, std::uint8_t{0xFF});
    expect_rejected_image(path_of(endless), "header is damaged");
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
