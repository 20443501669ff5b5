#include "tests/unit/video/image_files.h"

#include <gtest/gtest.h>

#include <cstring>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "tests/support/video_files.h"

namespace throng::test {

cv::Mat gradient_image(int width, int height, int type) {
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

Bytes encode_bytes(const std::string& extension, const cv::Mat& image, const std::vector<int>& settings) {
    Bytes bytes;
    EXPECT_TRUE(cv::imencode(extension, image, bytes, settings));
    return bytes;
}

std::string write_bytes(const ScratchDir& scratch, const std::string& name, const Bytes& bytes) {
    const auto path = scratch.path() / name;
    test::write_file(path, std::vector<char>(bytes.begin(), bytes.end()));
    return path.string();
}

void expect_same_pixels(const Frame& frame, const cv::Mat& image) {
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

void expect_rejected_image(const std::string& path, const std::string& words) {
    try {
        static_cast<void>(load_image(path));
        ADD_FAILURE() << path << " was accepted";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
        EXPECT_NE(std::string(failure.what()).find(words), std::string::npos) << failure.what();
    }
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

Bytes jpeg_with_orientation(Bytes jpeg, std::uint8_t orientation) {
    Bytes segment = {0xFF, 0xE1, 0,    34,   'E', 'x', 'i', 'f', 0, 0, 'I',         'I', 42, 0, 8, 0, 0, 0,
                     1,    0,    0x12, 0x01, 3,   0,   1,   0,   0, 0, orientation, 0,   0,  0, 0, 0, 0, 0};
    jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
    return jpeg;
}

Bytes exif_data(bool little, std::uint8_t orientation) {
    if (little) {
        return {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0};
    }
    return {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0};
}

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

}  // namespace throng::test
