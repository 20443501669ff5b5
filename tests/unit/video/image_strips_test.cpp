// Still images that are read and written in strips. The limits are lowered, so that small images are.
#include <gtest/gtest.h>

#include <png.h>
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
#include "core/video/transparency.h"
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

    static void set_orientation(const std::string& path, int orientation) {
        TIFF* file = TIFFOpen(path.c_str(), "r+");
        TIFFSetField(file, TIFFTAG_ORIENTATION, orientation);
        TIFFRewriteDirectory(file);
        TIFFClose(file);
    }

    // Returns a PNG file of random samples. transparent: a color, or some of the palette, are.
    [[nodiscard]] Bytes encode_png(int depth, int color_type, bool transparent, bool interlaced = false) {
        constexpr int kWidth = 61;
        constexpr int kHeight = 47;
        Bytes bytes;
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
        png_infop info = png_create_info_struct(png);
        png_set_write_fn(
            png, &bytes,
            [](png_structp file, png_bytep data, std::size_t size) {
                append(*static_cast<Bytes*>(png_get_io_ptr(file)), Bytes(data, data + size));
            },
            [](png_structp) {});
        png_set_IHDR(png, info, kWidth, kHeight, depth, color_type,
                     interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        const int colors = 1 << std::min(depth, 8);
        std::vector<png_color> palette(static_cast<std::size_t>(colors));
        Bytes opacity(palette.size());
        for (std::size_t i = 0; i < palette.size(); ++i) {
            palette[i] = {static_cast<png_byte>(random_()), static_cast<png_byte>(random_()),
                          static_cast<png_byte>(random_())};
            opacity[i] = static_cast<png_byte>(random_());
        }
        const png_color_16 clear{0, 1, 1, 1, 1};  // likely in the rows below
        const bool indexed = color_type == PNG_COLOR_TYPE_PALETTE;
        if (indexed) png_set_PLTE(png, info, palette.data(), colors);
        if (transparent) png_set_tRNS(png, info, opacity.data(), indexed ? colors : 0, indexed ? nullptr : &clear);
        png_write_info(png, info);
        cv::Mat rows(kHeight, static_cast<int>(png_get_rowbytes(png, info)), CV_8UC1);
        cv::RNG random(random_());
        random.fill(rows, cv::RNG::UNIFORM, 0, 256);
        rows.rowRange(0, 9) = depth < 8 ? 255 : 1;
        if (depth == 16) {
            for (int x = 0; x < rows.cols; x += 2) rows(cv::Rect(x, 0, 1, 9)) = 0;
        }
        std::vector<png_bytep> pointers;
        for (int y = 0; y < kHeight; ++y) pointers.push_back(rows.ptr(y));
        png_write_image(png, pointers.data());
        png_write_end(png, nullptr);
        png_destroy_write_struct(&png, &info);
        return bytes;
    }

    std::mt19937_64 random_{test::seed(1)};
    ScratchDir scratch_;
};

// Returns what OpenCV decodes, in 8 bits, over white.
cv::Mat decode_over_white(const Bytes& bytes) {
    cv::Mat image = cv::imdecode(bytes, cv::IMREAD_UNCHANGED);
    if (image.depth() == CV_16U) image.convertTo(image, CV_8U, 255.0 / 65535);
    if (image.channels() != 4) return image;
    cv::Mat result(image.size(), CV_8UC3);
    for (int y = 0; y < image.rows; ++y) {
        for (int x = 0; x < image.cols; ++x) {
            const auto from = image.at<cv::Vec4b>(y, x);
            for (int c = 0; c < 3; ++c) {
                result.at<cv::Vec3b>(y, x)[c] = over_white(from[c], from[3]);
            }
        }
    }
    return result;
}

TEST_F(Strips, OfJpegAreTheRowsOfTheImage) {
    for (const int type : {CV_8UC1, CV_8UC3}) {
        const cv::Mat image = noise(123, 97, type);
        expect_same(write("a.jpg", encode_bytes(".jpg", image)), 10);
        expect_same(write("p.jpg", encode_bytes(".jpg", image, {cv::IMWRITE_JPEG_PROGRESSIVE, 1})), 10);
    }
}

TEST_F(Strips, OfPngAreTheRowsThatOpenCvReads) {
    struct Kind {
        int color_type;
        std::vector<int> depths;
        bool may_be_transparent = true;
    };
    for (const Kind& kind : {Kind{PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}},
                             {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}},
                             {PNG_COLOR_TYPE_RGB, {8, 16}},
                             {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}, false},
                             {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}, false}}) {
        for (const int depth : kind.depths) {
            for (const bool transparent : {false, true}) {
                if (transparent && !kind.may_be_transparent) continue;
                SCOPED_TRACE(std::to_string(kind.color_type) + ", " + std::to_string(depth) + " bits, transparent " +
                             std::to_string(transparent));
                const Bytes png = encode_png(depth, kind.color_type, transparent);
                const std::string path = write("a.png", png);
                expect_same(path, 2);
                const Bytes passes = encode_png(depth, kind.color_type, transparent, true);
                const Frame interlaced = load_image(write("i.png", passes)).frame;
                // OpenCV leaves the transparent color of gray images out.
                const bool is_gray = kind.color_type == PNG_COLOR_TYPE_GRAY && transparent;
                if (!is_gray) {
                    expect_same_pixels(load_image(path).frame, decode_over_white(png));
                    expect_same_pixels(interlaced, decode_over_white(passes));
                } else {
                    EXPECT_TRUE(load_image(path).composed);
                    EXPECT_EQ(load_image(path).frame.plane(0).data[0], 255);
                }
            }
        }
    }
    expect_same(write("dark.png", encode_bytes(".png", noise(60, 50, CV_16UC3) / 32)));
}

TEST_F(Strips, AreThoseOfTheDisplayedImage) {
    const cv::Mat image = noise(123, 97, CV_8UC3);
    for (const int orientation : {1, 2}) {
        const auto value = static_cast<std::uint8_t>(orientation);
        expect_same(write("o.jpg", jpeg_with_orientation(encode_bytes(".jpg", image), value)), 10);
        for (const bool at_end : {false, true}) {
            expect_same(write("o.png", png_with_exif(encode_bytes(".png", image), exif_data(at_end, value), at_end)),
                        10);
        }
    }
    for (const int orientation : {2, 3, 4}) {
        expect_same(write("o.tif", tiff_with_orientation(image, static_cast<std::uint8_t>(orientation))));
        for (const int rows : {1, 7, 97}) {
            const std::string path = write_tiff("strips.tif", image, false, rows);
            set_orientation(path, orientation);
            expect_same(path, rows == 97 ? 1 : 7);
        }
        const std::string tiles = write_tiff("tiles.tif", image, true, 0);
        set_orientation(tiles, orientation);
        expect_same(tiles, 6);
    }
}

// Images that follow are reported as for an image that is read as a whole.
TEST_F(Strips, AreThoseOfTheFirstImage) {
    const cv::Mat image = noise(123, 97, CV_8UC3);
    const Bytes first = encode_bytes(".jpg", image);
    const auto with_second = [&](const Bytes& second) {
        Bytes bytes = first;
        append(bytes, second);
        return bytes;
    };
    const Bytes small = encode_bytes(".jpg", noise(32, 24, CV_8UC3));
    for (const Bytes& second : {first, small, Bytes(1000, 0x41)})
        expect_same(write("two.jpg", with_second(second)), 10);
    EXPECT_NE(load_image(write("two.jpg", with_second(first)), ImageSizes::strips).incomplete.find("animated"),
              std::string::npos);
    std::vector<cv::Mat> pages(3, image);
    Bytes tiff;
    const std::string path = (scratch_.path() / "pages.tif").string();
    ASSERT_TRUE(cv::imwritemulti(path, pages));
    expect_same(path);
    EXPECT_THROW(check_single_page(read_image_file(path, ImageSizes::strips)), Error);
}

TEST_F(Strips, MetadataOfAnySizeMayPrecedeTheSizeOfAJpeg) {
    Bytes jpeg = jpeg_with_orientation(encode_bytes(".jpg", noise(123, 97, CV_8UC3)), 2);
    Bytes segment(2 + 0xFFFF);
    std::fill_n(segment.begin(), 4, std::uint8_t{0xFF});
    segment[1] = 0xEF;  // APP15
    for (int i = 0; i < 20; ++i) jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
    const std::string path = write("metadata.jpg", jpeg);
    expect_same(path, 10);
    // The orientation may follow the size, and both may be far apart.
    const Bytes late = encode_bytes(".jpg", noise(123, 97, CV_8UC3));
    const Bytes frame_header = {0xFF, 0xC0, 0, 17};
    const auto size = std::search(late.begin(), late.end(), frame_header.begin(), frame_header.end());
    ASSERT_NE(size, late.end());
    const Bytes oriented = jpeg_with_orientation({0xFF, 0xD8}, 2);
    Bytes bytes(late.begin(), size + 19);
    for (int i = 0; i < 20; ++i) append(bytes, segment);
    append(bytes, Bytes(oriented.begin() + 2, oriented.end()));
    append(bytes, Bytes(size + 19, late.end()));
    expect_same(write("late.jpg", bytes), 10);
    // A large file is read in strips, whatever the size of its image.
    strip_limits().whole_pixels = kMaxPixels;
    EXPECT_EQ(load_image(path, ImageSizes::strips).frame.rows(), nullptr);
    strip_limits().whole_bytes = jpeg.size() - 1;
    EXPECT_NE(load_image(path, ImageSizes::strips).frame.rows(), nullptr);
    EXPECT_THROW(static_cast<void>(load_image(path)), Error);
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
    for (const char* extension : {".jpg", ".png", ".tif"}) {
        const Bytes whole = encode_bytes(extension, image);
        Bytes damaged = whole;
        for (std::size_t i = 0; i < 40; ++i) damaged[whole.size() / 2 + i] ^= 0x5AU;
        // libtiff leaves what it last read where it cannot read.
        const int same_rows = extension == std::string(".tif") ? 34 : 120;  // two strips of the file
        expect_same(write(std::string("damaged") + extension, damaged), 1, same_rows);
    }
    for (const std::string extension : {".jpg", ".png"}) {
        const Bytes whole = encode_bytes(extension, image);
        for (const std::size_t missing : {whole.size() / 3, std::size_t{1}}) {
            const std::string path =
                write("cut" + extension, Bytes(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(missing)));
            expect_same(path);
            EXPECT_EQ(load_image(path).incomplete, "the image is cut short: its end is missing");
        }
    }
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
    for (std::uint8_t orientation = 3; orientation <= 8; ++orientation) {
        if (orientation >= 5) {
            EXPECT_NE(problem(write("o.tif", tiff_with_orientation(image, orientation))).find("to be rotated"),
                      std::string::npos);
        }
        const Bytes oriented = jpeg_with_orientation(encode_bytes(".jpg", image), orientation);
        EXPECT_NE(problem(write("o.jpg", oriented)).find("vips autorot"), std::string::npos);
        const Bytes png = png_with_exif(encode_bytes(".png", image), exif_data(true, orientation), true);
        EXPECT_NE(problem(write("o.png", png)).find("vips autorot"), std::string::npos);
    }
    const Bytes interlaced = encode_png(8, PNG_COLOR_TYPE_RGB, false, true);
    EXPECT_NE(problem(write("interlaced.png", interlaced)).find("without interlacing"), std::string::npos);
    strip_limits().strip_bytes = 300;  // as a file of one strip of 5 GB
    EXPECT_NE(problem(write_tiff("one.tif", image, false, 120)).find("tiles of fewer rows"), std::string::npos);
    const std::string real = write("real.tif", encode_bytes(".tif", noise(160, 120, CV_32FC1)));
    EXPECT_NE(problem(real).find("8 bits per sample"), std::string::npos);
    const Bytes jpeg = encode_bytes(".jpg", image);
    strip_limits().whole_bytes = 100;  // of a file whose directory is last, and missing
    const Bytes tiff = encode_bytes(".tif", image);
    EXPECT_NE(problem(write("head.tif", Bytes(tiff.begin(), tiff.end() - 300))).find("header is damaged"),
              std::string::npos);
    EXPECT_NE(problem(write("head.jpg", Bytes(jpeg.begin(), jpeg.begin() + 300))), "");
    // Other formats, and images that are small enough, are read as a whole.
    strip_limits().whole_bytes = std::uintmax_t{1} << 29;
    EXPECT_EQ(load_image(write("a.bmp", encode_bytes(".bmp", image)), ImageSizes::strips).frame.rows(), nullptr);
    strip_limits().whole_pixels = 160 * 120;
    EXPECT_EQ(load_image(write("a.jpg", jpeg), ImageSizes::strips).frame.rows(), nullptr);
}

// Fails for what only a later pass cannot read: a face there would not be found, or be written as it is.
TEST_F(Strips, ThatChangeAfterTheFirstPassAreRejected) {
    for (const char* extension : {".jpg", ".png", ".tif"}) {
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
        for (const char* name : {"a.tif", "a.png"}) {
            const cv::Mat lossless = cv::imread(written(name), cv::IMREAD_UNCHANGED);
            ASSERT_EQ(lossless.type(), type);
            EXPECT_EQ(cv::norm(lossless, image, cv::NORM_INF), 0);
        }
    }
    const std::string part = (scratch_.path() / "part.tif").string();
    const AtomicFile part_file(part);
    StripWriter part_writer(part_file, part, {8, 8}, PixelFormat::gray8);
    part_writer.write(cv::Mat(7, 8, CV_8UC1, cv::Scalar(9)));
    EXPECT_THROW(part_writer.finish(), Error);
    const std::string path = (scratch_.path() / "b.webp").string();
    const AtomicFile file(path);
    EXPECT_THROW(StripWriter(file, path, {8, 8}, PixelFormat::gray8), Error);
    EXPECT_THROW(StripWriter(file, "wide.jpg", {65'501, 8}, PixelFormat::gray8), Error);
}

}  // namespace
}  // namespace throng
