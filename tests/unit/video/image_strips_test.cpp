// Still images that are read and written in strips. The limits are lowered, so that small images are.
#include <gtest/gtest.h>

#include <tiffio.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/video/image_file.h"
#include "core/video/image_writer.h"
#include "core/video/source.h"
#include "core/video/strip_writer.h"
#include "tests/support/random.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

class Strips : public ::testing::Test {
protected:
    Strips() { strip_limits() = {.whole_pixels = 100, .strip_bytes = 3000}; }
    ~Strips() override { strip_limits() = {}; }

    [[nodiscard]] cv::Mat noise(int width, int height, int type) {
        cv::Mat image(height, width, type);
        cv::RNG random(random_());
        random.fill(image, cv::RNG::UNIFORM, 0, image.depth() == CV_16U ? 65536 : 256);
        cv::GaussianBlur(image, image, cv::Size(5, 5), 1.5);
        return image;
    }

    // Compares an image that is read in strips with the same image as a whole. same_rows: those after them are damaged.
    void expect_same(const std::string& path, int min_strips = 1, int same_rows = 1 << 30) {
        SCOPED_TRACE(path);
        const LoadedImage whole = load_image(path);
        const LoadedImage strips = load_image(path, ImageSizes::strips);
        ASSERT_NE(strips.frame.rows(), nullptr);
        EXPECT_EQ(strips.incomplete, whole.incomplete);
        EXPECT_EQ(strips.composed, whole.composed);
        EXPECT_EQ(strips.frame.info().format, whole.frame.info().format);
        EXPECT_EQ(strips.frame.info().damaged, whole.frame.info().damaged);
        const PlaneView& plane = whole.frame.plane(0);
        for (int repeat = 0; repeat < 2; ++repeat) {
            const auto reader = strips.frame.rows()->open();
            int y = 0;
            int num_strips = 0;
            for (PlaneView strip = reader->next(); strip.height > 0; strip = reader->next(), ++num_strips) {
                ASSERT_EQ(strip.width, plane.width);
                for (int row = 0; row < strip.height; ++row, ++y) {
                    ASSERT_LT(y, plane.height);
                    if (y >= same_rows) continue;
                    ASSERT_TRUE(std::equal(strip.data + row * strip.pitch, strip.data + row * strip.pitch + strip.width,
                                           plane.data + y * plane.pitch))
                        << "row " << y;
                }
            }
            EXPECT_EQ(y, plane.height);
            EXPECT_GE(num_strips, min_strips);
        }
        EXPECT_THROW(static_cast<void>(strips.frame.on_host()), Error);
    }

    [[nodiscard]] std::string write(const std::string& name, const Bytes& bytes) {
        return write_bytes(scratch_, name, bytes);
    }

    // Writes a TIFF file in tiles of 32x16 pixels, or in strips of `rows`: gray, RGB or CMYK. planar: one channel after the
    // other.
    [[nodiscard]] std::string write_tiff(const std::string& name, const cv::Mat& image, bool tiles, int rows,
                                         bool planar = false) {
        constexpr int kPhotometric[] = {0, PHOTOMETRIC_MINISBLACK, 0, PHOTOMETRIC_RGB, PHOTOMETRIC_SEPARATED};
        const std::string path = (scratch_.path() / name).string();
        TIFF* file = TIFFOpen(path.c_str(), "w");
        TIFFSetField(file, TIFFTAG_IMAGEWIDTH, image.cols);
        TIFFSetField(file, TIFFTAG_IMAGELENGTH, image.rows);
        TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, image.channels());
        TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(file, TIFFTAG_PHOTOMETRIC, kPhotometric[image.channels()]);
        TIFFSetField(file, TIFFTAG_PLANARCONFIG, planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
        TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
        if (tiles) {
            TIFFSetField(file, TIFFTAG_TILEWIDTH, 32);
            TIFFSetField(file, TIFFTAG_TILELENGTH, 16);
            cv::Mat padded;
            cv::copyMakeBorder(image, padded, 0, 16, 0, 32, cv::BORDER_REPLICATE);
            for (int y = 0; y < image.rows; y += 16) {
                for (int x = 0; x < image.cols; x += 32) {
                    cv::Mat tile = padded(cv::Rect(x, y, 32, 16)).clone();
                    TIFFWriteTile(file, tile.data, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0, 0);
                }
            }
        } else {
            TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, rows);
            std::vector<cv::Mat> planes{image.clone()};
            if (planar) cv::split(image, planes);
            for (std::size_t i = 0; i < planes.size(); ++i) {
                for (int y = 0; y < image.rows; ++y) {
                    TIFFWriteScanline(file, planes[i].ptr(y), static_cast<std::uint32_t>(y),
                                      static_cast<std::uint16_t>(i));
                }
            }
        }
        TIFFClose(file);
        return path;
    }

    std::mt19937_64 random_{test::seed(1)};
    ScratchDir scratch_;
};

TEST_F(Strips, OfJpegAreTheRowsOfTheImage) {
    for (const int type : {CV_8UC1, CV_8UC3}) {
        const cv::Mat image = noise(123, 97, type);
        expect_same(write("a.jpg", encode_bytes(".jpg", image)), 10);
        expect_same(write("p.jpg", encode_bytes(".jpg", image, {cv::IMWRITE_JPEG_PROGRESSIVE, 1})), 10);
    }
}

TEST_F(Strips, MetadataOfAnySizeMayPrecedeTheSizeOfAJpeg) {
    Bytes jpeg = encode_bytes(".jpg", noise(123, 97, CV_8UC3));
    Bytes segment(2 + 0xFFFF);
    std::fill_n(segment.begin(), 4, std::uint8_t{0xFF});
    segment[1] = 0xEF;  // APP15
    for (int i = 0; i < 20; ++i) jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
    expect_same(write("metadata.jpg", jpeg), 10);
}

TEST_F(Strips, OfTiffAreTheRowsOfTheImage) {
    for (const int type : {CV_8UC1, CV_8UC3, CV_16UC1, CV_16UC3}) {
        expect_same(write("a.tif", encode_bytes(".tif", noise(123, 97, type))));
    }
    for (const int channels : {1, 3, 4}) {
        const cv::Mat image = noise(75, 90, CV_8UC(channels));
        expect_same(write_tiff("tiles.tif", image, true, 0), 6);
        for (const int rows : {1, 7, 90}) {
            expect_same(write_tiff("strips.tif", image, false, rows), rows == 90 ? 1 : 7);
            expect_same(write_tiff("planar.tif", image, false, rows, true), rows == 90 ? 1 : 7);
        }
    }
    cv::Mat dark = noise(60, 50, CV_16UC1);
    dark = dark / 32;
    expect_same(write("dark.tif", encode_bytes(".tif", dark)));
    for (const int kind : {0, 1, 2}) {  // of the fourth sample
        Bytes tiff = tiff_with_orientation(noise(60, 50, CV_8UC4), 1);
        tiff[10 + 12 * 10 + 8] = static_cast<std::uint8_t>(kind);
        expect_same(write("alpha.tif", tiff));
    }
}

TEST_F(Strips, ReportTheDamageOfTheWholeImage) {
    const cv::Mat image = noise(160, 120, CV_8UC3);
    for (const char* extension : {".jpg", ".tif"}) {
        const Bytes whole = encode_bytes(extension, image);
        Bytes damaged = whole;
        for (std::size_t i = 0; i < 40; ++i) damaged[whole.size() / 2 + i] ^= 0x5AU;
        // libtiff leaves what it last read where it cannot read.
        const int same_rows = extension == std::string(".jpg") ? 120 : 34;  // two strips of the file
        expect_same(write(std::string("damaged") + extension, damaged), 1, same_rows);
    }
    const Bytes jpeg = encode_bytes(".jpg", image);
    expect_same(write("cut.jpg", Bytes(jpeg.begin(), jpeg.end() - static_cast<std::ptrdiff_t>(jpeg.size() / 3))));
    // The directory comes first, so that the end of the pixels can be missing.
    const Bytes tiff = tiff_with_orientation(image, 1);
    const std::string path = write("cut.tif", Bytes(tiff.begin(), tiff.end() - 5000));
    const LoadedImage cut = load_image(path, ImageSizes::strips);
    EXPECT_EQ(cut.incomplete, load_image(path).incomplete);
    EXPECT_NE(cut.incomplete.find("cut short"), std::string::npos);
}

TEST_F(Strips, WhatCannotBeReadInStripsIsRejected) {
    const auto problem = [&](const std::string& path) {
        try {
            static_cast<void>(load_image(path, ImageSizes::strips));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where(), path);
            return std::string(error.what());
        }
        return std::string();
    };
    const cv::Mat image = noise(160, 120, CV_8UC3);
    EXPECT_NE(problem(write("o.tif", tiff_with_orientation(image, 6))).find("rotate its pixels"), std::string::npos);
    strip_limits().strip_bytes = 300;  // as a file of one strip of 5 GB
    EXPECT_NE(problem(write_tiff("one.tif", image, false, 120)).find("tiles of fewer rows"), std::string::npos);
    const std::string real = write("real.tif", encode_bytes(".tif", noise(160, 120, CV_32FC1)));
    EXPECT_NE(problem(real).find("8 bits per sample"), std::string::npos);
    const Bytes jpeg = encode_bytes(".jpg", image);
    EXPECT_NE(problem(write("head.jpg", Bytes(jpeg.begin(), jpeg.begin() + 300))), "");
    // Other formats, and images that are small enough, are read as a whole.
    EXPECT_EQ(load_image(write("a.png", encode_bytes(".png", image)), ImageSizes::strips).frame.rows(), nullptr);
    strip_limits().whole_pixels = 160 * 120;
    EXPECT_EQ(load_image(write("a.jpg", jpeg), ImageSizes::strips).frame.rows(), nullptr);
}

// Fails for what only a later pass cannot read: a face there would not be found, or be written as it is.
TEST_F(Strips, ThatChangeAfterTheFirstPassAreRejected) {
    for (const char* extension : {".jpg", ".tif"}) {
        const Bytes whole = encode_bytes(extension, noise(160, 120, CV_8UC3));
        Bytes damaged = whole;
        for (std::size_t i = 0; i < 40; ++i) damaged[whole.size() / 2 + i] ^= 0x5AU;
        const Bytes gray = encode_bytes(extension, noise(160, 120, CV_8UC1));
        const Bytes narrow = encode_bytes(extension, noise(150, 120, CV_8UC3));
        const std::string name = std::string("changed") + extension;
        const auto rows_of = [](const LoadedImage& image) {
            const auto reader = image.frame.rows()->open();
            int rows = 0;
            for (PlaneView strip = reader->next(); strip.height > 0; strip = reader->next()) rows += strip.height;
            return rows;
        };
        const LoadedImage before = load_image(write(name, whole), ImageSizes::strips);
        EXPECT_EQ(rows_of(before), 120);
        for (const Bytes& bytes : {damaged, gray, narrow}) {
            static_cast<void>(write(name, bytes));
            EXPECT_THROW(static_cast<void>(rows_of(before)), Error) << extension;
        }
        // What was damaged before is as it was.
        EXPECT_EQ(rows_of(load_image(write(name, damaged), ImageSizes::strips)), 120);
    }
}

TEST_F(Strips, EndWhenTheyAreStopped) {
    const ImageFile file =
        read_image_file(write("a.jpg", encode_bytes(".jpg", noise(123, 97, CV_8UC3))), ImageSizes::strips);
    std::stop_source stop;
    const auto reader = decode_image(file, {}, stop.get_token()).frame.rows()->open();
    EXPECT_GT(reader->next().height, 0);
    stop.request_stop();
    EXPECT_THROW(static_cast<void>(reader->next()), Error);
    EXPECT_THROW(static_cast<void>(decode_image(file, stop.get_token())), Error);
}

TEST_F(Strips, AreForSourcesThatAskForThem) {
    const std::string path = write("a.jpg", encode_bytes(".jpg", noise(123, 97, CV_8UC3)));
    for (const bool in_strips : {false, true}) {
        SourceOptions options;
        options.in_strips = in_strips;
        Frame frame;
        ASSERT_EQ(open_source(path, options)->read(frame, {}), ReadStatus::frame);
        EXPECT_EQ(frame.rows() != nullptr, in_strips);
    }
}

TEST_F(Strips, WrittenImagesAreThoseOfTheWholeImage) {
    for (const int type : {CV_8UC1, CV_8UC3}) {
        const cv::Mat image = noise(133, 57, type);
        const PixelFormat format = type == CV_8UC1 ? PixelFormat::gray8 : PixelFormat::bgr24;
        const auto written = [&](const std::string& name) {
            const std::string path = (scratch_.path() / name).string();
            AtomicFile file(path);
            StripWriter writer(file, path, image.size(), format);
            for (int y = 0; y < image.rows;) {
                const int end = std::min(image.rows, y + 1 + static_cast<int>(random_() % 20));
                writer.write(image.rowRange(y, end));
                y = end;
            }
            writer.finish();
            file.commit();
            return path;
        };
        const Frame frame = load_image(write("in.png", encode_bytes(".png", image))).frame;
        const std::vector<std::uint8_t> jpeg = encode_image("a.jpg", frame);
        EXPECT_EQ(read_head(written("a.jpg"), 1 << 20), jpeg);
        const cv::Mat tiff = cv::imread(written("a.tif"), cv::IMREAD_UNCHANGED);
        ASSERT_EQ(tiff.type(), type);
        EXPECT_EQ(cv::norm(tiff, image, cv::NORM_INF), 0);
    }
    const std::string part = (scratch_.path() / "part.tif").string();
    const AtomicFile part_file(part);
    StripWriter part_writer(part_file, part, {8, 8}, PixelFormat::gray8);
    part_writer.write(cv::Mat(7, 8, CV_8UC1, cv::Scalar(9)));
    EXPECT_THROW(part_writer.finish(), Error);
    const std::string path = (scratch_.path() / "b.png").string();
    const AtomicFile file(path);
    EXPECT_THROW(StripWriter(file, path, {8, 8}, PixelFormat::gray8), Error);
    EXPECT_THROW(StripWriter(file, "wide.jpg", {65'501, 8}, PixelFormat::gray8), Error);
}

}  // namespace
}  // namespace throng
