// Still images and folders of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/video/image_ahead.h"
#include "core/video/image_file.h"
#include "core/video/image_header.h"
#include "core/video/image_source.h"
#include "core/video/image_writer.h"
#include "core/video/media_source.h"
#include "core/video/source.h"
#include "tests/support/crowd_image.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::ScratchDir;

using Bytes = std::vector<std::uint8_t>;

cv::Mat gradient(int width, int height, int type) {
    cv::Mat image(height, width, type);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width * image.channels(); ++x) {
            const int value = (7 * x + 13 * y) % 256;
            if (image.depth() == CV_16U) {
                image.ptr<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(257 * value);
            } else {
                image.ptr<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(value);
            }
        }
    }
    return image;
}

Bytes encoded(const std::string& extension, const cv::Mat& image, const std::vector<int>& settings = {}) {
    Bytes bytes;
    EXPECT_TRUE(cv::imencode(extension, image, bytes, settings));
    return bytes;
}

std::string write(const ScratchDir& scratch, const std::string& name, const Bytes& bytes) {
    const auto path = scratch.path() / name;
    test::write_file(path, std::vector<char>(bytes.begin(), bytes.end()));
    return path.string();
}

void expect_same(const Frame& frame, const cv::Mat& image) {
    ASSERT_EQ(frame.width(), image.cols);
    ASSERT_EQ(frame.height(), image.rows);
    ASSERT_EQ(frame.info().format, image.channels() == 1 ? PixelFormat::gray8 : PixelFormat::bgr24);
    for (int y = 0; y < image.rows; ++y) {
        ASSERT_EQ(std::memcmp(frame.plane(0).data + y * frame.plane(0).pitch, image.ptr(y),
                              static_cast<std::size_t>(frame.plane(0).width)),
                  0)
            << "row " << y;
    }
}

void expect_rejected(const std::string& path, const std::string& words) {
    try {
        static_cast<void>(load_image(path));
        ADD_FAILURE() << path << " was accepted";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
        EXPECT_NE(std::string(failure.what()).find(words), std::string::npos) << failure.what();
    }
}

TEST(Image, LosslessFormatsKeepEveryPixel) {
    const ScratchDir scratch;
    for (const char* extension : {".png", ".bmp", ".tiff", ".ppm"}) {
        if (!cv::haveImageWriter(std::string("a") + extension)) continue;
        const cv::Mat image = gradient(37, 21, CV_8UC3);
        expect_same(load_image(write(scratch, std::string("a") + extension, encoded(extension, image))).frame, image);
    }
    const cv::Mat gray = gradient(37, 21, CV_8UC1);
    for (const char* extension : {".png", ".pgm"}) {
        expect_same(load_image(write(scratch, std::string("g") + extension, encoded(extension, gray))).frame, gray);
    }
}

TEST(Image, SixteenBitsAreScaled) {
    const ScratchDir scratch;
    expect_same(load_image(write(scratch, "g.png", encoded(".png", gradient(20, 10, CV_16UC1)))).frame,
                gradient(20, 10, CV_8UC1));
    expect_same(load_image(write(scratch, "c.png", encoded(".png", gradient(20, 10, CV_16UC3)))).frame,
                gradient(20, 10, CV_8UC3));
}

TEST(Image, TransparentPixelsAreComposedOverWhite) {
    const ScratchDir scratch;
    cv::Mat image(1, 3, CV_8UC4);
    image.at<cv::Vec4b>(0, 0) = {10, 20, 30, 255};
    image.at<cv::Vec4b>(0, 1) = {10, 20, 30, 0};
    image.at<cv::Vec4b>(0, 2) = {0, 0, 0, 128};
    const Frame frame = load_image(write(scratch, "a.png", encoded(".png", image))).frame;
    const std::uint8_t* pixels = frame.plane(0).data;
    EXPECT_EQ(Bytes(pixels, pixels + 9), (Bytes{10, 20, 30, 255, 255, 255, 127, 127, 127}));
}

TEST(Image, JpegAndWebpOfAllKinds) {
    const ScratchDir scratch;
    const cv::Mat image(40, 60, CV_8UC3, cv::Scalar(40, 90, 200));
    std::vector<std::pair<std::string, Bytes>> files = {
        {"plain.jpg", encoded(".jpg", image)},
        {"progressive.jpg", encoded(".jpg", image, {cv::IMWRITE_JPEG_PROGRESSIVE, 1})}};
    if (cv::haveImageWriter("a.webp")) {
        files.emplace_back("a.webp", encoded(".webp", image));
        files.emplace_back("lossless.webp", encoded(".webp", image, {cv::IMWRITE_WEBP_QUALITY, 101}));
    }
    for (const auto& [name, bytes] : files) {
        const LoadedImage loaded = load_image(write(scratch, name, bytes));
        EXPECT_EQ(loaded.incomplete, "");
        ASSERT_EQ(loaded.frame.info().format, PixelFormat::bgr24) << name;
        EXPECT_EQ(loaded.frame.width(), 60);
        EXPECT_NEAR(loaded.frame.plane(0).data[0], 40, 4) << name;
        EXPECT_NEAR(loaded.frame.plane(0).data[2], 200, 4) << name;
    }
    const cv::Mat gray(40, 60, CV_8UC1, cv::Scalar(77));
    EXPECT_EQ(load_image(write(scratch, "gray.jpg", encoded(".jpg", gray))).frame.info().format, PixelFormat::gray8);
}

// An APP1 segment with one entry: orientation (EXIF 2.3, section 4.6.4).
Bytes with_orientation(Bytes jpeg, std::uint8_t orientation) {
    Bytes segment = {0xFF, 0xE1, 0,    34,   'E', 'x', 'i', 'f', 0, 0, 'I',         'I', 42, 0, 8, 0, 0, 0,
                     1,    0,    0x12, 0x01, 3,   0,   1,   0,   0, 0, orientation, 0,   0,  0, 0, 0, 0, 0};
    jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
    return jpeg;
}

TEST(Image, ExifOrientationIsHonored) {
    const ScratchDir scratch;
    cv::Mat image(32, 64, CV_8UC1, cv::Scalar(0));
    image(cv::Rect(0, 0, 16, 16)).setTo(255);  // a white corner, top left as stored
    const Bytes jpeg = encoded(".jpg", image);
    struct Case {
        std::uint8_t orientation;
        bool right, bottom, transposed;  // expected position of the white corner, and swapped width and height
    };
    for (const Case& expected : {Case{1, false, false, false}, Case{2, true, false, false}, Case{3, true, true, false},
                                 Case{4, false, true, false}, Case{5, false, false, true}, Case{6, true, false, true},
                                 Case{7, true, true, true}, Case{8, false, true, true}}) {
        const Frame frame = load_image(write(scratch, "a.jpg", with_orientation(jpeg, expected.orientation))).frame;
        ASSERT_EQ(frame.width(), expected.transposed ? 32 : 64);
        const int x = expected.right ? frame.width() - 5 : 5;
        const int y = expected.bottom ? frame.height() - 5 : 5;
        EXPECT_GT(frame.plane(0).data[y * frame.plane(0).pitch + x], 200) << int{expected.orientation};
    }
}

// EXIF data of one entry in either byte order: orientation.
Bytes exif_data(bool little, std::uint8_t orientation) {
    if (little) {
        return {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0};
    }
    return {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0};
}

Bytes big32(std::size_t value) {
    return {static_cast<std::uint8_t>(value >> 24), static_cast<std::uint8_t>(value >> 16),
            static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
}

void append(Bytes& to, const Bytes& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

Bytes text_bytes(const std::string& text) {
    return {text.begin(), text.end()};
}

// With the chunk before or after the pixels (PNG 3, section 11.3.4.4).
Bytes png_with_exif(Bytes png, const Bytes& exif, bool at_end) {
    Bytes typed = text_bytes("eXIf");
    append(typed, exif);
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const std::uint8_t byte : typed) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    Bytes chunk = big32(exif.size());
    append(chunk, typed);
    append(chunk, big32(~crc));
    constexpr std::ptrdiff_t kHeader = 33;
    constexpr std::ptrdiff_t kEnd = 12;
    png.insert(at_end ? png.end() - kEnd : png.begin() + kHeader, chunk.begin(), chunk.end());
    return png;
}

// In the extended form, the chunk after the pixels (WebP container specification).
Bytes webp_with_exif(const Bytes& webp, const Bytes& exif, bool alpha, int width, int height) {
    const auto chunk = [](const std::string& name, const Bytes& content) {
        Bytes bytes = text_bytes(name);
        Bytes size = big32(content.size());
        std::reverse(size.begin(), size.end());
        append(bytes, size);
        append(bytes, content);
        if (content.size() % 2 != 0) bytes.push_back(0);
        return bytes;
    };
    Bytes extended(10, 0);
    extended[0] = static_cast<std::uint8_t>(0x08 | (alpha ? 0x10 : 0));
    extended[4] = static_cast<std::uint8_t>(width - 1);
    extended[7] = static_cast<std::uint8_t>(height - 1);
    Bytes content = text_bytes("WEBP");
    append(content, chunk("VP8X", extended));
    content.insert(content.end(), webp.begin() + 12, webp.end());
    append(content, chunk("EXIF", exif));
    return chunk("RIFF", content);
}

// Little-endian, uncompressed, with the orientation. channels: 1, 3, or 4 with alpha.
Bytes tiff_with_orientation(const cv::Mat& image, std::uint8_t orientation) {
    Bytes bytes = {'I', 'I', 42, 0};
    const auto number = [&](std::size_t value, int size) {
        for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    };
    cv::Mat rgb = image.clone();
    if (image.channels() == 3) cv::cvtColor(image, rgb, cv::COLOR_BGR2RGB);
    if (image.channels() == 4) cv::cvtColor(image, rgb, cv::COLOR_BGRA2RGBA);
    const std::size_t size = rgb.total() * rgb.elemSize();
    const auto channels = static_cast<std::size_t>(rgb.channels());
    const std::size_t depth = rgb.elemSize1();
    const std::size_t entries = channels == 4 ? 11 : 10;
    const std::size_t depths = 8 + 2 + 12 * entries + 4;  // of four channels
    number(8, 4);
    number(entries, 2);
    const auto entry = [&](std::size_t tag, std::size_t type, std::size_t count, std::size_t value) {
        number(tag, 2);
        number(type, 2);
        number(count, 4);
        number(value, 4);
    };
    entry(256, 3, 1, static_cast<std::size_t>(rgb.cols));
    entry(257, 3, 1, static_cast<std::size_t>(rgb.rows));
    entry(258, 3, channels, channels == 1 ? 8 * depth : depths);
    entry(259, 3, 1, 1);
    entry(262, 3, 1, channels == 1 ? 1 : 2);
    entry(273, 4, 1, depths + 8);
    entry(274, 3, 1, orientation);
    entry(277, 3, 1, channels);
    entry(278, 3, 1, static_cast<std::size_t>(rgb.rows));
    entry(279, 4, 1, size);
    if (channels == 4) entry(338, 3, 1, 2);
    number(0, 4);
    for (int i = 0; i < 4; ++i) number(8 * depth, 2);
    bytes.insert(bytes.end(), rgb.data, rgb.data + size);
    return bytes;
}

// Where a white corner that is stored top left is displayed, by the orientation.
struct DisplayedCorner {
    std::uint8_t orientation;
    bool right, bottom, transposed;
};
constexpr DisplayedCorner kDisplayed[] = {{1, false, false, false}, {2, true, false, false}, {3, true, true, false},
                                          {4, false, true, false},  {5, false, false, true}, {6, true, false, true},
                                          {7, true, true, true},    {8, false, true, true}};

void expect_corner(const Frame& frame, const DisplayedCorner& expected) {
    ASSERT_EQ(frame.width(), expected.transposed ? 32 : 64);
    ASSERT_EQ(frame.height(), expected.transposed ? 64 : 32);
    const int bytes = frame.info().format == PixelFormat::gray8 ? 1 : 3;
    const auto pixel = [&](int x, int y) { return int{frame.plane(0).data[y * frame.plane(0).pitch + x * bytes]}; };
    for (const bool right : {false, true}) {
        for (const bool bottom : {false, true}) {
            const int value = pixel(right ? frame.width() - 5 : 5, bottom ? frame.height() - 5 : 5);
            const bool white = right == expected.right && bottom == expected.bottom;
            EXPECT_TRUE(white ? value > 200 : value < 60) << right << bottom << ": " << value;
        }
    }
}

cv::Mat with_white_corner(int type) {
    cv::Mat image(32, 64, type, cv::Scalar::all(0));
    const double range = image.depth() == CV_16U ? 65535 : 255;
    if (image.channels() == 4) image.setTo(cv::Scalar(0, 0, 0, range));
    image(cv::Rect(0, 0, 16, 16)).setTo(cv::Scalar::all(range));
    return image;
}

TEST(Image, TheOrientationOfEveryFormatIsHonoredOnce) {
    const ScratchDir scratch;
    for (const DisplayedCorner& expected : kDisplayed) {
        std::vector<std::pair<std::string, Bytes>> files;
        for (const bool little : {false, true}) {
            const Bytes exif = exif_data(little, expected.orientation);
            Bytes with_prefix = text_bytes(std::string("Exif") + '\0' + '\0');
            append(with_prefix, exif);
            Bytes segment = {0xFF, 0xE1, 0, static_cast<std::uint8_t>(with_prefix.size() + 2)};
            append(segment, with_prefix);
            Bytes jpeg = encoded(".jpg", with_white_corner(CV_8UC3));
            // After the first segment, with a fill byte before it.
            segment.insert(segment.begin(), 0xFF);
            jpeg.insert(jpeg.begin() + 4 + jpeg[4] * 256 + jpeg[5], segment.begin(), segment.end());
            files.emplace_back("a.jpg", jpeg);
            for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC4}) {
                const Bytes png = encoded(".png", with_white_corner(type));
                files.emplace_back("before.png", png_with_exif(png, exif, false));
                files.emplace_back("after.png", png_with_exif(png, exif, true));
            }
            if (!cv::haveImageWriter("a.webp")) continue;
            const auto webp = [](int type) {
                return encoded(".webp", with_white_corner(type), {cv::IMWRITE_WEBP_QUALITY, 101});
            };
            files.emplace_back("a.webp", webp_with_exif(webp(CV_8UC3), with_prefix, false, 64, 32));
            files.emplace_back("alpha.webp", webp_with_exif(webp(CV_8UC4), exif, true, 64, 32));
        }
        for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_16UC4}) {
            files.emplace_back("type" + std::to_string(type) + ".tif",
                               tiff_with_orientation(with_white_corner(type), expected.orientation));
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            SCOPED_TRACE(files[i].first + ", file " + std::to_string(i) + ", orientation " +
                         std::to_string(expected.orientation));
            const std::string path = write(scratch, files[i].first, files[i].second);
            expect_corner(load_image(path).frame, expected);
            if (files[i].first != "alpha.webp") continue;
            Frame by_ffmpeg;  // as an image from a server is read
            EXPECT_EQ(open_media(file_request(path, {}), {})->read(by_ffmpeg, {}), ReadStatus::frame);
            expect_corner(by_ffmpeg, expected);
        }
    }
}

// A HEIF file, written by the standard (ISO/IEC 23008-12): its items are JPEG images, which any build decodes.
class HeifBuilder {
public:
    using Content = std::vector<std::pair<std::string, Bytes>>;

    // Returns the number of the item, from 1. properties: those of the item, in order.
    std::size_t add(const std::string& type, const Bytes& data, std::initializer_list<Bytes> properties) {
        items_.push_back({type, data, properties, {}});
        return items_.size();
    }
    void refer(const std::string& type, std::size_t from, const std::vector<std::size_t>& to) {
        items_[from - 1].references.emplace_back(type, to);
    }

    static Bytes box(const std::string& type, const Bytes& content) {
        Bytes bytes = big32(content.size() + 8);
        append(bytes, text_bytes(type));
        append(bytes, content);
        return bytes;
    }
    static Bytes size_property(int width, int height) {
        Bytes content(4, 0);
        append(content, big32(static_cast<std::size_t>(width)));
        append(content, big32(static_cast<std::size_t>(height)));
        return box("ispe", content);
    }
    static Bytes rotation(std::uint8_t angle) { return box("irot", {angle}); }
    static Bytes mirror(std::uint8_t axis) { return box("imir", {axis}); }

    // in_data_box: the items are in "idat" instead of at places of the file.
    [[nodiscard]] Bytes file(std::size_t primary, bool in_data_box) const {
        const Bytes head = box("ftyp", text_bytes(std::string("avif") + std::string(4, '\0') + "avifmif1"));
        Bytes meta = made(primary, in_data_box, 0);
        if (!in_data_box) meta = made(primary, false, head.size() + meta.size() + 8);
        Bytes bytes = head;
        append(bytes, meta);
        append(bytes, box("mdat", in_data_box ? Bytes() : data()));
        return bytes;
    }

private:
    struct Item {
        std::string type;
        Bytes data;
        std::vector<Bytes> properties;
        std::vector<std::pair<std::string, std::vector<std::size_t>>> references;
    };

    static Bytes big16(std::size_t value) {
        return {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
    }

    [[nodiscard]] Bytes data() const {
        Bytes all;
        for (const Item& item : items_) append(all, item.data);
        return all;
    }

    [[nodiscard]] Bytes made(std::size_t primary, bool in_data_box, std::size_t data_at) const {
        Bytes meta(4, 0);
        append(meta, box("hdlr", text_bytes(std::string(8, '\0') + "pict" + std::string(13, '\0'))));
        Bytes first(4, 0);
        append(first, big16(primary));
        append(meta, box("pitm", first));
        Bytes places = {1, 0, 0, 0, 0x44, 0x00};
        Bytes types(4, 0);
        append(places, big16(items_.size()));
        append(types, big16(items_.size()));
        Bytes references(4, 0);
        Bytes properties;
        Bytes associations(4, 0);
        append(associations, big32(items_.size()));
        std::size_t offset = data_at;
        std::uint8_t property = 0;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            append(places, big16(i + 1));
            append(places, {0, static_cast<std::uint8_t>(in_data_box ? 1 : 0), 0, 0, 0, 1});
            append(places, big32(offset));
            append(places, big32(items_[i].data.size()));
            offset += items_[i].data.size();
            Bytes entry = {2, 0, 0, 0};
            append(entry, big16(i + 1));
            append(entry, {0, 0});
            append(entry, text_bytes(items_[i].type));
            entry.push_back(0);
            append(types, box("infe", entry));
            for (const auto& [type, to] : items_[i].references) {
                Bytes list = big16(i + 1);
                append(list, big16(to.size()));
                for (const std::size_t id : to) append(list, big16(id));
                append(references, box(type, list));
            }
            append(associations, big16(i + 1));
            associations.push_back(static_cast<std::uint8_t>(items_[i].properties.size()));
            for (const Bytes& bytes : items_[i].properties) {
                append(properties, bytes);
                associations.push_back(++property);
            }
        }
        append(meta, box("iloc", places));
        append(meta, box("iinf", types));
        append(meta, box("iref", references));
        Bytes all_properties = box("ipco", properties);
        append(all_properties, box("ipma", associations));
        append(meta, box("iprp", all_properties));
        if (in_data_box) append(meta, box("idat", data()));
        return box("meta", meta);
    }

    std::vector<Item> items_;
};

TEST(Heif, RotationAndMirrorAreApplied) {
    const ScratchDir scratch;
    const Bytes jpeg = encoded(".jpg", with_white_corner(CV_8UC3));
    using Heif = HeifBuilder;
    // Rotation is counterclockwise by right angles; the mirror exchanges top and bottom (0) or left and right (1).
    const std::pair<std::vector<Bytes>, int> cases[] = {
        {{}, 1},
        {{Heif::mirror(1)}, 2},
        {{Heif::rotation(2)}, 3},
        {{Heif::mirror(0)}, 4},
        {{Heif::rotation(1), Heif::mirror(0)}, 5},
        {{Heif::rotation(3)}, 6},
        {{Heif::rotation(3), Heif::mirror(0)}, 7},
        {{Heif::rotation(1)}, 8},
    };
    for (const auto& [transformations, orientation] : cases) {
        for (const bool in_data_box : {false, true}) {
            SCOPED_TRACE(orientation);
            HeifBuilder heif;
            std::vector<Bytes> all = {Heif::size_property(64, 32)};
            all.insert(all.end(), transformations.begin(), transformations.end());
            const std::size_t item = all.size() == 1   ? heif.add("jpeg", jpeg, {all[0]})
                                     : all.size() == 2 ? heif.add("jpeg", jpeg, {all[0], all[1]})
                                                       : heif.add("jpeg", jpeg, {all[0], all[1], all[2]});
            const std::string path = write(scratch, "a.avif", heif.file(item, in_data_box));
            EXPECT_TRUE(is_still_image(path));
            expect_corner(load_image(path).frame, kDisplayed[orientation - 1]);
        }
    }
}

TEST(Heif, GridsAreJoinedAndTransparencyIsComposedOverWhite) {
    const ScratchDir scratch;
    using Heif = HeifBuilder;
    HeifBuilder heif;
    std::vector<std::size_t> tiles;
    for (const int gray : {10, 60, 110, 160, 210, 250}) {  // two rows of three
        tiles.push_back(heif.add("jpeg", encoded(".jpg", cv::Mat(16, 16, CV_8UC3, cv::Scalar::all(gray))),
                                 {Heif::size_property(16, 16)}));
    }
    const std::size_t grid =
        heif.add("grid", {0, 0, 1, 2, 0, 40, 0, 30}, {Heif::size_property(40, 30), Heif::rotation(2)});
    heif.refer("dimg", grid, tiles);
    const std::string whole = write(scratch, "grid.heic", heif.file(grid, false));
    const Frame frame = load_image(whole).frame;
    ASSERT_EQ(frame.width(), 40);
    ASSERT_EQ(frame.height(), 30);
    const auto pixel = [](const Frame& of, int x, int y) {
        return int{of.plane(0).data[y * of.plane(0).pitch + 3 * x]};
    };
    EXPECT_NEAR(pixel(frame, 39, 29), 10, 2);  // rotated by 180 degrees
    EXPECT_NEAR(pixel(frame, 15, 29), 60, 2);
    EXPECT_NEAR(pixel(frame, 0, 0), 250, 2);
    EXPECT_NEAR(pixel(frame, 39, 0), 160, 2);

    cv::Mat opacity(32, 64, CV_8UC1, cv::Scalar(255));
    opacity(cv::Rect(0, 0, 32, 32)).setTo(0);
    HeifBuilder cut;
    const std::size_t color =
        cut.add("jpeg", encoded(".jpg", cv::Mat(32, 64, CV_8UC3, cv::Scalar::all(40))), {Heif::size_property(64, 32)});
    Bytes auxiliary(4, 0);
    append(auxiliary, text_bytes(std::string("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") + '\0'));
    const std::size_t alpha =
        cut.add("jpeg", encoded(".jpg", opacity), {Heif::size_property(64, 32), HeifBuilder::box("auxC", auxiliary)});
    cut.refer("auxl", alpha, {color});
    const Frame composed = load_image(write(scratch, "cut.avif", cut.file(color, false))).frame;
    EXPECT_NEAR(pixel(composed, 10, 10), 255, 3);
    EXPECT_NEAR(pixel(composed, 50, 10), 40, 3);

    // Damaged in any place: an image or an error.
    const Bytes bytes = heif.file(grid, false);
    for (std::size_t i = 0; i < 200; ++i) {
        Bytes damaged = bytes;
        damaged[(i * 7919) % damaged.size()] ^= static_cast<std::uint8_t>(1U << i % 8);
        if (i % 3 == 0) damaged.resize(damaged.size() * (i + 1) / 201);
        try {
            static_cast<void>(load_image(write(scratch, "x.heic", damaged)));
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::input);
        }
    }
    HeifBuilder unknown;
    const std::size_t other = unknown.add("unci", {1, 2, 3}, {Heif::size_property(4, 4)});
    expect_rejected(write(scratch, "u.heic", unknown.file(other, false)), "\"unci\"");
}

// As phones write it: the one frame of an MP4 file, with its decoder configuration.
TEST(Heif, HevcIsDecoded) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string corner = write(scratch, "corner.png", encoded(".png", with_white_corner(CV_8UC3)));
    const std::filesystem::path mp4 = scratch.path() / "a.mp4";
    try {
        test::ffmpeg("-i " + corner + " -frames:v 1 -pix_fmt yuv420p -c:v libx265 -tag:v hvc1", mp4);
    } catch (const std::runtime_error&) {
        GTEST_SKIP() << "skipped: this ffmpeg program cannot encode HEVC";
    }
    const std::vector<char> bytes = test::read_file(mp4);
    const std::string file(bytes.begin(), bytes.end());
    // Returns the content of the first box of this type.
    const auto content = [&](const std::string& type) {
        const std::size_t at = file.find(type);
        std::size_t size = 0;
        for (std::size_t i = at - 4; i < at; ++i) size = size << 8 | static_cast<std::uint8_t>(file.at(i));
        return text_bytes(file.substr(at + 4, size - 8));
    };
    using Heif = HeifBuilder;
    HeifBuilder heif;
    const std::size_t item = heif.add(
        "hvc1", content("mdat"), {Heif::size_property(64, 32), Heif::box("hvcC", content("hvcC")), Heif::rotation(3)});
    expect_corner(load_image(write(scratch, "a.heic", heif.file(item, false))).frame, kDisplayed[5]);
}

TEST(Heif, Av1IsDecoded) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string corner = write(scratch, "corner.png", encoded(".png", with_white_corner(CV_8UC3)));
    int read = 0;
    for (const char* encoder : {"libaom-av1 -cpu-used 8", "libsvtav1"}) {
        const std::filesystem::path path = scratch.path() / ("a" + std::to_string(read) + ".avif");
        try {
            test::ffmpeg("-i " + corner + " -frames:v 1 -pix_fmt yuv420p -c:v " + encoder, path);
        } catch (const std::runtime_error&) {
            continue;  // this FFmpeg has no such encoder, or no writer of AVIF
        }
        ++read;
        expect_corner(load_image(path).frame, kDisplayed[0]);
    }
    if (read == 0) GTEST_SKIP() << "skipped: this ffmpeg program cannot write AVIF";
}

TEST(Image, BrokenFilesAreRejectedWithAMessage) {
    const ScratchDir scratch;
    const Bytes png = encoded(".png", gradient(64, 64, CV_8UC3));
    expect_rejected(write(scratch, "empty.png", {}), "empty");
    expect_rejected(write(scratch, "words.jpg", {'w', 'o', 'r', 'd', 's'}), "not an image");
    expect_rejected((scratch.path() / "missing.png").string(), "No such file");
    expect_rejected(write(scratch, "head.png", Bytes(png.begin(), png.begin() + 20)), "");
    expect_rejected(write(scratch, "head.jpg", {0xFF, 0xD8, 0xFF, 0xE0, 0, 4}), "");
    Bytes bomb = png;
    std::fill(bomb.begin() + 16, bomb.begin() + 24, std::uint8_t{0x01});  // 16843009 x 16843009
    expect_rejected(write(scratch, "bomb.png", bomb), "too large");
    const std::string pnm = "P6\n# 20000\n20000 20000\n255\n";
    expect_rejected(write(scratch, "bomb.ppm", Bytes(pnm.begin(), pnm.end())), "too large");
    Bytes animated(40, 0);
    std::memcpy(animated.data(), "RIFF\x20\0\0\0WEBPVP8X\x0A\0\0\0\x02\0\0\0\x0F\0\0\x0F\0\0", 30);
    expect_rejected(write(scratch, "moving.webp", animated), "animated WebP");
}

TEST(Image, ATruncatedJpegIsDecodedAndReported) {
    const ScratchDir scratch;
    Bytes jpeg = encoded(".jpg", gradient(200, 200, CV_8UC3));
    jpeg.resize(jpeg.size() / 2);
    const LoadedImage loaded = load_image(write(scratch, "cut.jpg", jpeg));
    EXPECT_EQ(loaded.frame.width(), 200);
    EXPECT_NE(loaded.incomplete.find("cut short"), std::string::npos);
}

TEST(Image, ATruncatedTiffIsReportedOrRejected) {
    const ScratchDir scratch;
    const Bytes whole = tiff_with_orientation(gradient(64, 48, CV_8UC3), 1);
    EXPECT_EQ(load_image(write(scratch, "whole.tif", whole)).incomplete, "");
    for (const std::size_t missing : {std::size_t{1}, std::size_t{100}, whole.size() / 2}) {
        const Bytes cut(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(missing));
        try {
            EXPECT_NE(load_image(write(scratch, "cut.tif", cut)).incomplete.find("cut short"), std::string::npos);
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::input);
        }
    }
}

TEST(Image, DamageWithinAJpegIsReported) {
    const ScratchDir scratch;
    cv::Mat noise(240, 320, CV_8UC3);
    cv::RNG random(7);  // the damage must meet data, wherever it is
    random.fill(noise, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(noise, noise, cv::Size(9, 9), 3);
    for (const bool progressive : {false, true}) {
        const Bytes whole = encoded(".jpg", noise, {cv::IMWRITE_JPEG_PROGRESSIVE, progressive ? 1 : 0});
        ASSERT_GT(whole.size(), 8000U);
        const auto half = static_cast<std::ptrdiff_t>(whole.size() / 2);
        Bytes zeroed = whole;
        std::fill_n(zeroed.begin() + half, 2048, std::uint8_t{0});
        Bytes missing = whole;
        missing.erase(missing.begin() + half, missing.begin() + half + 2048);
        Bytes flipped = whole;
        for (std::ptrdiff_t i = 0; i < 40; ++i) flipped[static_cast<std::size_t>(half + i)] ^= 0x5A;
        Bytes rest_zero = whole;
        std::fill(rest_zero.begin() + half, rest_zero.end() - 2, std::uint8_t{0});
        Bytes closed(whole.begin(), whole.begin() + half);
        append(closed, {0xFF, 0xD9});
        testing::internal::CaptureStderr();
        for (const auto& [name, bytes] :
             {std::pair{"zeroed.jpg", zeroed}, std::pair{"missing.jpg", missing}, std::pair{"flipped.jpg", flipped},
              std::pair{"rest.jpg", rest_zero}, std::pair{"closed.jpg", closed}}) {
            const LoadedImage loaded = load_image(write(scratch, name, bytes));
            EXPECT_NE(loaded.incomplete.find("the image is damaged"), std::string::npos) << name << progressive;
            EXPECT_TRUE(loaded.frame.info().damaged) << name;
            EXPECT_EQ(loaded.frame.width(), 320);
        }
        // Data after the end marker are not part of the image.
        Bytes followed = whole;
        append(followed, Bytes(5000, 0x41));
        EXPECT_EQ(load_image(write(scratch, "followed.jpg", followed)).incomplete, "");
        EXPECT_EQ(load_image(write(scratch, "whole.jpg", whole)).incomplete, "");
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a line without the name of the file";
    }
}

TEST(Image, PixelsOfJpegAndWebpAreThoseOfOpencv) {
    const ScratchDir scratch;
    const cv::Mat image = gradient(61, 43, CV_8UC3);
    for (const int restart : {0, 4}) {
        const Bytes jpeg = encoded(".jpg", image, {cv::IMWRITE_JPEG_RST_INTERVAL, restart});
        expect_same(load_image(write(scratch, "a.jpg", jpeg)).frame, cv::imdecode(jpeg, cv::IMREAD_COLOR));
    }
    const Bytes gray = encoded(".jpg", gradient(61, 43, CV_8UC1));
    expect_same(load_image(write(scratch, "g.jpg", gray)).frame, cv::imdecode(gray, cv::IMREAD_GRAYSCALE));

    const cv::Mat crowd = test::crowd_image(true);
    write(scratch, "crowd.jpg", encoded(".jpg", crowd, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}));
    std::vector<std::filesystem::path> files{scratch.path() / "crowd.jpg"};
    if (cv::haveImageWriter("a.webp")) {
        write(scratch, "crowd.webp", encoded(".webp", crowd, {cv::IMWRITE_WEBP_QUALITY, 80}));
        files.push_back(scratch.path() / "crowd.webp");
    }
    if (const auto data = test::data_dir()) {
        for (const char* name : {"roth-selfie.jpg", "pif-homepage-banner.webp", "pif-reunion-19.jpg"}) {
            files.push_back(*data / "photos" / name);
        }
    }
    for (const std::filesystem::path& file : files) {
        SCOPED_TRACE(file);
        expect_same(load_image(file).frame, cv::imread(file.string(), cv::IMREAD_COLOR));
    }
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
    const auto read = [&](const Bytes& bytes) { return load_image(write(scratch, "a.bmp", bytes)); };
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
            const LoadedImage loaded = load_image(write(scratch, "a.tif", tiff));
            EXPECT_EQ(loaded.composed, kind != 0);
            const int expected = kind == 0 ? 51 : kind == 1 ? 51 + 128 : 51 / 2 + 128;
            EXPECT_NEAR(loaded.frame.plane(0).data[0], expected, 2);
            EXPECT_NEAR(loaded.frame.plane(0).data[9], 102, 1);
        }
    }
}

TEST(Image, ValuesThatDoNotFitTheirTypeAreReported) {
    const ScratchDir scratch;
    const auto incomplete = [&](const std::string& name, const cv::Mat& image) {
        return load_image(write(scratch, name, encoded(std::filesystem::path(name).extension(), image))).incomplete;
    };
    cv::Mat deep = gradient(32, 16, CV_16UC1);
    EXPECT_EQ(incomplete("a.png", deep), "");
    EXPECT_NE(incomplete("b.png", deep * (4095.0 / 65535)).find("almost black"), std::string::npos);  // 12 bits
    cv::Mat real;
    gradient(32, 16, CV_8UC3).convertTo(real, CV_32F, 1.0 / 255);
    EXPECT_EQ(incomplete("c.tiff", real), "");
    EXPECT_NE(incomplete("d.tiff", real * 255).find("almost white"), std::string::npos);
}

TEST(Image, PagesOfATiffAreReported) {
    const ScratchDir scratch;
    const std::vector<cv::Mat> pages(3, gradient(20, 10, CV_8UC3));
    const std::string path = (scratch.path() / "pages.tiff").string();
    ASSERT_TRUE(cv::imwritemulti(path, pages));
    EXPECT_NE(load_image(path).incomplete.find("has 3 pages: only the first"), std::string::npos);
    EXPECT_THROW(check_single_page(read_image_file(path)), Error);
    EXPECT_EQ(load_image(write(scratch, "one.tiff", encoded(".tiff", pages[0]))).incomplete, "");
    // A raw image of a camera begins with a preview: NewSubfileType, in place of the entry for no compression.
    Bytes raw = tiff_with_orientation(pages[0], 1);
    raw[10 + 12 * 3] = 254;
    raw[10 + 12 * 3 + 1] = 0;
    EXPECT_NE(load_image(write(scratch, "raw.dng", raw)).incomplete.find("only the preview"), std::string::npos);
}

TEST(Image, AJpegFollowedByOthersOfItsSizeIsASequence) {
    const ScratchDir scratch;
    const Bytes first = encoded(".jpg", gradient(64, 48, CV_8UC3));
    const Bytes second = encoded(".jpg", gradient(64, 48, CV_8UC3), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
    const auto joined = [](const std::vector<Bytes>& parts) {
        Bytes all;
        for (const Bytes& part : parts) append(all, part);
        return all;
    };
    for (const auto& [bytes, is_sequence] :
         {std::pair{first, false}, std::pair{joined({first, second}), true}, std::pair{joined({second, first}), true},
          std::pair{joined({first, Bytes(7, 0), second, second}), true},
          // A preview of another size, a Motion Photo, something else.
          std::pair{joined({first, encoded(".jpg", gradient(32, 24, CV_8UC3))}), false},
          std::pair{joined({first, {0, 0, 0, 24}, text_bytes("ftypmp42")}), false},
          std::pair{joined({first, text_bytes("appended")}), false},
          // The Multi-Picture Format, or XMP, describes what follows.
          std::pair{joined({Bytes(first.begin(), first.begin() + 2),
                            {0xFF, 0xE1, 0, 24},
                            text_bytes("<<Container:Directory>"),
                            Bytes(first.begin() + 2, first.end()),
                            second}),
                    false},
          std::pair{joined({Bytes(first.begin(), first.begin() + 2),
                            {0xFF, 0xE2, 0, 8, 'M', 'P', 'F', 0, 'x', 'x'},
                            Bytes(first.begin() + 2, first.end()),
                            second}),
                    false}}) {
        const std::string path = write(scratch, "burst.JPG", bytes);
        EXPECT_EQ(is_still_image(path), !is_sequence) << bytes.size();
        EXPECT_EQ(find_image_animation(path).has_value(), is_sequence);
        auto source = open_source(path);
        Frame frame;
        int frames = 0;
        while (source->read(frame, {}) != ReadStatus::end) ++frames;
        EXPECT_EQ(frames > 1, is_sequence) << frames;
    }
    // A thumbnail within the first image is none of them.
    const Bytes thumbnail = encoded(".jpg", gradient(64, 48, CV_8UC3));
    Bytes segment = {0xFF, 0xE3, static_cast<std::uint8_t>((thumbnail.size() + 2) >> 8),
                     static_cast<std::uint8_t>(thumbnail.size() + 2)};
    append(segment, thumbnail);
    Bytes with_thumbnail = first;
    with_thumbnail.insert(with_thumbnail.begin() + 2, segment.begin(), segment.end());
    EXPECT_TRUE(is_still_image(write(scratch, "thumbnail.jpg", with_thumbnail)));
}

TEST(Image, ANameIsNoPattern) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto in_folder = [&](const std::string& name) { return (scratch.path() / name).string(); };
    test::ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.5 -f apng", in_folder("plain.png"));
    test::ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.5 -f mjpeg", in_folder("plain.jpg"));
    test::ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.1 -frames:v 1", in_folder("plain.tga"));
    test::ffmpeg("-f lavfi -i color=red:size=32x32:duration=0.1 -frames:v 1", in_folder("1000.tga"));
    test::ffmpeg("-f lavfi -i color=red:size=32x32:duration=0.1 -frames:v 1", in_folder("1001.tga"));
    std::filesystem::copy_file(in_folder("1000.tga"), in_folder("whox.tga"));
    for (const std::string stem : {"{3F2504E0-4F89}", "who?", "100%d", "a*", "[ab]"}) {
        for (const auto& [extension, expected] : {std::pair<std::string, int>{".png", 5}, {".jpg", 5}, {".tga", 1}}) {
            SCOPED_TRACE(stem + extension);
            std::filesystem::copy_file(in_folder("plain" + extension), in_folder(stem + extension));
            auto source = open_source(in_folder(stem + extension));
            EXPECT_EQ(source->info().width, 64);
            Frame frame;
            int frames = 0;
            while (source->read(frame, {}) != ReadStatus::end) ++frames;
            EXPECT_EQ(frames, expected);
        }
    }
}

TEST(Image, HostileBytesNeverCrash) {
    const ScratchDir scratch;
    for (const char* extension : {".png", ".jpg", ".bmp", ".tiff", ".webp", ".ppm"}) {
        if (!cv::haveImageWriter(std::string("a") + extension)) continue;
        const Bytes whole = encoded(extension, gradient(40, 30, CV_8UC3));
        for (std::size_t i = 0; i < 60; ++i) {
            Bytes bytes = whole;
            bytes[(i * 7919) % std::min<std::size_t>(bytes.size(), 400)] ^= static_cast<std::uint8_t>(1U << i % 8);
            if (i % 3 == 0) bytes.resize(bytes.size() * (i + 1) / 61);
            static_cast<void>(read_image_header(bytes));
            if (i % 5 != 0) continue;
            try {
                static_cast<void>(load_image(write(scratch, std::string("x") + extension, bytes)));
            } catch (const Error& failure) {
                EXPECT_EQ(failure.kind(), ErrorKind::input);
            }
        }
    }
}

TEST(Image, ASourceOfOneFrame) {
    const ScratchDir scratch;
    const std::string path = write(scratch, "a.png", encoded(".png", gradient(30, 20, CV_8UC3)));
    for (const std::string& spec : {path, "file://" + path}) {
        auto source = open_source(spec);
        EXPECT_EQ(source->info().frame_count, 1);
        EXPECT_EQ(source->info().width, 30);
        EXPECT_FALSE(source->info().live);
        Frame frame;
        EXPECT_EQ(source->read(frame, {}), ReadStatus::frame);
        EXPECT_EQ(source->current_name(), path);
        EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
        EXPECT_TRUE(source->seek(0));
        EXPECT_EQ(source->read(frame, {}), ReadStatus::frame);
    }
}

TEST(NaturalOrder, DigitsAreNumbers) {
    std::vector<std::string> names = {"img10.png", "IMG2.png", "img1.png", "img02b.png",
                                      "a",         "img2.png", "img",      "b99999999999999999999999"};
    std::sort(names.begin(), names.end(), natural_less);
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b99999999999999999999999", "img", "img1.png", "IMG2.png",
                                               "img2.png", "img02b.png", "img10.png"}));
    for (const std::string& a : names) {
        EXPECT_FALSE(natural_less(a, a));
        for (const std::string& b : names)
            EXPECT_EQ(natural_less(a, b) + natural_less(b, a), a == b ? 0 : 1) << a << " " << b;
    }
}

TEST(ImageFolder, ImagesComeInNaturalOrderAndBrokenOnesAreReported) {
    const ScratchDir scratch;
    write(scratch, "p10.png", encoded(".png", gradient(30, 20, CV_8UC3)));
    write(scratch, "p2.png", encoded(".png", gradient(30, 20, CV_8UC3)));
    write(scratch, "p3.jpg", encoded(".jpg", gradient(16, 16, CV_8UC1)));
    write(scratch, "p1.png", {'n', 'o'});
    write(scratch, "noextension", encoded(".png", gradient(16, 16, CV_8UC1)));
    write(scratch, "notes.txt", {'n', 'o'});
    write(scratch, ".hidden.png", encoded(".png", gradient(30, 20, CV_8UC3)));
    std::filesystem::create_directory(scratch.path() / "folder.png");

    auto source = open_source(scratch.path().string());
    std::vector<std::string> names;
    std::vector<ReadStatus> statuses;
    Frame frame;
    for (ReadStatus status = source->read(frame, {}); status != ReadStatus::end; status = source->read(frame, {})) {
        names.push_back(std::filesystem::path(source->current_name()).filename().string());
        EXPECT_EQ(frame.info().index, static_cast<std::int64_t>(statuses.size()));
        statuses.push_back(status);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"noextension", "p2.png", "p3.jpg", "p10.png"}));
    EXPECT_EQ(statuses, (std::vector<ReadStatus>{ReadStatus::frame, ReadStatus::format_changed,
                                                 ReadStatus::format_changed, ReadStatus::format_changed}));
    EXPECT_NE(source->notice().find("1 image skipped"), std::string::npos) << source->notice();
    EXPECT_EQ(source->info().name, scratch.path().string());
    EXPECT_EQ(source->info().frame_count, 4);
    ASSERT_TRUE(source->seek(2.5));
    source->read(frame, {});
    EXPECT_EQ(frame.info().index, 2);
}

// Enough images that they are decoded ahead, on several threads. The gray level of an image is its number.
class ManyImages : public testing::Test {
protected:
    static constexpr int kImages = 60;

    ManyImages() {
        for (int i = 0; i < kImages; ++i) {
            // Every eighth image takes much longer, so that the threads finish out of order.
            const int side = i % 8 == 0 ? 1500 : 16;
            write(scratch_, name_of(i), encoded(".png", cv::Mat(side, side, CV_8UC1, cv::Scalar(i))));
        }
    }

    static std::string name_of(int i) { return "image" + std::to_string(i) + ".png"; }
    [[nodiscard]] std::unique_ptr<VideoSource> open() const { return open_source(scratch_.path().string()); }

    // Reads one frame and compares its content, number and name.
    static void expect_next(VideoSource& source, int image, int index) {
        Frame frame;
        ASSERT_NE(source.read(frame, {}), ReadStatus::end);
        ASSERT_EQ(frame.plane(0).data[0], image);
        EXPECT_EQ(frame.info().index, index);
        EXPECT_EQ(std::filesystem::path(source.current_name()).filename(), name_of(image));
        EXPECT_GT(source.decode_ms().value_or(0), 0);
    }

    ScratchDir scratch_;
};

TEST_F(ManyImages, ComeInOrder) {
    auto source = open();
    for (int i = 0; i < kImages; ++i) expect_next(*source, i, i);
    Frame frame;
    EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
    EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
    EXPECT_EQ(source->incomplete(), "");
}

TEST_F(ManyImages, ProblemsAreReportedWhenTheirTurnComes) {
    write(scratch_, name_of(5), {'n', 'o'});
    const Bytes jpeg = encoded(".jpg", gradient(64, 64, CV_8UC3));
    write(scratch_, name_of(7), Bytes(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(jpeg.size() * 3 / 4)));
    auto source = open();
    for (int i = 0; i < 5; ++i) expect_next(*source, i, i);
    EXPECT_EQ(source->incomplete(), "") << "image 5 was not read yet";
    EXPECT_EQ(source->info().frame_count, kImages);
    expect_next(*source, 6, 5);
    EXPECT_EQ(source->info().frame_count, kImages - 1);
    EXPECT_NE(source->incomplete().find("1 image skipped, the first:"), std::string::npos) << source->incomplete();
    EXPECT_NE(source->incomplete().find(name_of(5)), std::string::npos) << source->incomplete();
    EXPECT_EQ(source->incomplete().find("incomplete"), std::string::npos) << source->incomplete();
    Frame frame;
    source->read(frame, {});
    EXPECT_NE(source->incomplete().find("1 image incomplete, the first:"), std::string::npos) << source->incomplete();
    for (int i = 8; i < kImages; ++i) expect_next(*source, i, i - 1);
}

TEST_F(ManyImages, SeekAtAnyTime) {
    auto source = open();
    std::mt19937 random(5);
    for (int k = 0; k < 40; ++k) {
        const int to = static_cast<int>(random() % kImages);
        ASSERT_TRUE(source->seek(to));
        const int end = std::min(to + static_cast<int>(random() % 4), kImages);
        for (int i = to; i < end; ++i) expect_next(*source, i, i);
    }
    // As a loop does: to the start after the end.
    ASSERT_TRUE(source->seek(kImages - 1));
    expect_next(*source, kImages - 1, kImages - 1);
    Frame frame;
    EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
    ASSERT_TRUE(source->seek(0));
    expect_next(*source, 0, 0);
}

TEST_F(ManyImages, AStopLosesNoImage) {
    auto source = open();
    expect_next(*source, 0, 0);
    expect_next(*source, 1, 1);
    std::stop_source stop;
    stop.request_stop();
    Frame frame;
    EXPECT_EQ(source->read(frame, stop.get_token()), ReadStatus::timeout);
    for (int i = 2; i < kImages; ++i) expect_next(*source, i, i);
}

TEST_F(ManyImages, LittleMemoryDelaysImagesButLosesNone) {
    ImageAhead queue(1);  // only the first image of the queue may be decoded
    queue.start(4);
    for (int i = 0; i < kImages; ++i) queue.push((scratch_.path() / name_of(i)).string());
    for (int i = 0; i < kImages / 2; ++i) ASSERT_EQ(queue.pop({})->image.frame.plane(0).data[0], i);
    queue.clear();
    EXPECT_EQ(queue.size(), 0U);
    queue.push((scratch_.path() / "missing.png").string());
    queue.push((scratch_.path() / name_of(3)).string());
    EXPECT_THROW(static_cast<void>(queue.pop({})), Error);
    EXPECT_EQ(queue.pop({})->image.frame.plane(0).data[0], 3);
}

TEST(ImageFolder, AFolderWithoutAReadableImageIsRejected) {
    const ScratchDir scratch;
    EXPECT_THROW(static_cast<void>(open_source(scratch.path().string())), Error);
    write(scratch, "a.png", {'n', 'o'});
    write(scratch, "b.jpg", {});
    try {
        static_cast<void>(open_source(scratch.path().string()));
        ADD_FAILURE();
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
        EXPECT_NE(failure.problem().find("none of the 2 images"), std::string::npos);
    }
}

TEST(ImageWriter, WrittenImagesReadBackEqual) {
    const ScratchDir scratch;
    for (const int type : {CV_8UC1, CV_8UC3}) {
        const cv::Mat image = gradient(33, 17, type);
        const Frame frame = load_image(write(scratch, "in.png", encoded(".png", image))).frame;
        const std::string path = (scratch.path() / "out.png").string();
        write_image(path, frame);
        expect_same(load_image(path).frame, image);
    }
}

TEST(ImageWriter, ErrorsAreReported) {
    const ScratchDir scratch;
    const Frame frame = load_image(write(scratch, "in.png", encoded(".png", gradient(33, 17, CV_8UC3)))).frame;
    const auto kind = [&](const std::string& path) {
        try {
            write_image(path, frame);
        } catch (const Error& failure) {
            EXPECT_EQ(failure.where(), path);
            return failure.kind();
        }
        return ErrorKind::internal;
    };
    EXPECT_EQ(kind((scratch.path() / "a.xyz").string()), ErrorKind::usage);
    EXPECT_EQ(kind((scratch.path() / "a").string()), ErrorKind::usage);
    EXPECT_EQ(kind((scratch.path() / "missing/a.png").string()), ErrorKind::input);
    std::filesystem::create_symlink("/dev/full", scratch.path() / "full.png");
    EXPECT_EQ(kind((scratch.path() / "full.png").string()), ErrorKind::input);
}

}  // namespace
}  // namespace throng
