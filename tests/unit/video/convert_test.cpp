#include "core/video/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace throng {
namespace {

struct Rgb {
    double r, g, b;
};

// The definition: Kr and Kb of BT.601, BT.709 and BT.2020, limited and full range.
Rgb expected(int y, int u, int v, ColorMatrix matrix, ColorRange range) {
    const double kr = matrix == ColorMatrix::bt601 ? 0.299 : (matrix == ColorMatrix::bt709 ? 0.2126 : 0.2627);
    const double kb = matrix == ColorMatrix::bt601 ? 0.114 : (matrix == ColorMatrix::bt709 ? 0.0722 : 0.0593);
    const bool full = range == ColorRange::full;
    const double luma = full ? y / 255.0 : (y - 16) / 219.0;
    const double cb = (u - 128) / (full ? 255.0 : 224.0);
    const double cr = (v - 128) / (full ? 255.0 : 224.0);
    const double r = luma + 2 * (1 - kr) * cr;
    const double b = luma + 2 * (1 - kb) * cb;
    const double g = (luma - kr * r - kb * b) / (1 - kr - kb);
    const auto byte = [](double value) { return std::clamp(255 * value, 0.0, 255.0); };
    return {byte(r), byte(g), byte(b)};
}

Frame flat(PixelFormat format, int width, int height, int y, int u, int v, ColorMatrix matrix, ColorRange range) {
    FramePool pool;
    WritableFrame image = pool.take(format, width, height);
    image.info().matrix = matrix;
    image.info().range = range;
    const int values[3] = {y, u, v};
    for (int p = 0; p < plane_count(format); ++p) {
        const PlaneView& plane = image.plane(p);
        for (int row = 0; row < plane.height; ++row) {
            std::uint8_t* bytes = image.data(p) + row * plane.pitch;
            for (int x = 0; x < plane.width; ++x) {
                const bool interleaved = format == PixelFormat::nv12 && p == 1;
                bytes[x] = static_cast<std::uint8_t>(values[interleaved ? 1 + x % 2 : p]);
            }
        }
    }
    return std::move(image).finish();
}

TEST(PixelConverter, ColorsMatchTheDefinition) {
    constexpr std::array<std::array<int, 3>, 6> kColors = {
        {{81, 90, 240}, {145, 54, 34}, {41, 240, 110}, {128, 128, 128}, {235, 128, 128}, {60, 140, 150}}};
    PixelConverter converter;
    for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020}) {
        for (const ColorRange range : {ColorRange::limited, ColorRange::full}) {
            for (const PixelFormat format : {PixelFormat::yuv420p, PixelFormat::nv12}) {
                for (const auto& [y, u, v] : kColors) {
                    const Frame frame = flat(format, 32, 16, y, u, v, matrix, range);
                    std::array<std::uint8_t, 128 * 16> bgra{};
                    converter.convert(frame, Packing::bgra32, bgra.data(), 128);
                    const Rgb want = expected(y, u, v, matrix, range);
                    const std::uint8_t* pixel = bgra.data() + 128 * 7 + 4 * 9;
                    SCOPED_TRACE(testing::Message() << y << " " << u << " " << v << " matrix " << int(matrix)
                                                    << " range " << int(range) << " format " << int(format));
                    EXPECT_NEAR(pixel[0], want.b, 3);
                    EXPECT_NEAR(pixel[1], want.g, 3);
                    EXPECT_NEAR(pixel[2], want.r, 3);
                    EXPECT_EQ(pixel[3], 255);
                }
            }
        }
    }
}

// For every size, every pixel is written and nothing outside the image.
TEST(PixelConverter, OddSizesAndTightRows) {
    PixelConverter converter;
    for (const PixelFormat format : {PixelFormat::yuv420p, PixelFormat::nv12, PixelFormat::gray8, PixelFormat::bgr24}) {
        for (const int width : {1, 2, 3, 7, 15, 16, 17, 31, 33, 65}) {
            for (const int height : {1, 2, 3, 5, 8}) {
                for (const Packing packing : {Packing::bgr24, Packing::bgra32, Packing::rgba32}) {
                    const Frame frame =
                        flat(format, width, height, 180, 128, 128, ColorMatrix::bt709, ColorRange::full);
                    const int pitch = width * bytes_per_pixel(packing) + 5;
                    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(pitch * height + 64), 7);
                    converter.convert(frame, packing, bytes.data(), pitch);
                    for (int y = 0; y < height; ++y) {
                        for (int x = 0; x < pitch; ++x) {
                            const int value = bytes[static_cast<std::size_t>(y * pitch + x)];
                            if (x >= width * bytes_per_pixel(packing)) {
                                ASSERT_EQ(value, 7) << width << "x" << height << " at " << x << ", " << y;
                            } else if (format == PixelFormat::bgr24 && x % bytes_per_pixel(packing) != 3) {
                                ASSERT_EQ(value, 180);
                            } else if (x % bytes_per_pixel(packing) != 3) {
                                ASSERT_NEAR(value, 180, 3) << width << "x" << height << " at " << x << ", " << y;
                            } else {
                                ASSERT_EQ(value, 255);
                            }
                        }
                    }
                    for (std::size_t i = static_cast<std::size_t>(pitch * height); i < bytes.size(); ++i) {
                        ASSERT_EQ(bytes[i], 7);
                    }
                }
            }
        }
    }
}

TEST(PixelConverter, LimitedGrayIsExpandedToFullRange) {
    PixelConverter converter;
    std::array<std::uint8_t, 3> pixel{};
    const auto convert = [&](int y) {
        converter.convert(flat(PixelFormat::gray8, 1, 1, y, 0, 0, ColorMatrix::bt709, ColorRange::limited),
                          Packing::bgr24, pixel.data(), 3);
        return int{pixel[1]};
    };
    EXPECT_EQ(convert(16), 0);
    EXPECT_EQ(convert(235), 255);
    EXPECT_NEAR(convert(126), 128, 1);
    EXPECT_EQ(convert(0), 0);
}

TEST(PixelConverter, RgbaHasRedFirst) {
    FramePool pool;
    WritableFrame image = pool.take(PixelFormat::bgr24, 1, 1);
    std::memcpy(image.data(0), "\x01\x02\x03", 3);
    const Frame frame = std::move(image).finish();
    PixelConverter converter;
    std::array<std::uint8_t, 4> pixel{};
    converter.convert(frame, Packing::rgba32, pixel.data(), 4);
    EXPECT_EQ(pixel, (std::array<std::uint8_t, 4>{3, 2, 1, 255}));
    converter.convert(frame, Packing::bgra32, pixel.data(), 4);
    EXPECT_EQ(pixel, (std::array<std::uint8_t, 4>{1, 2, 3, 255}));
}

TEST(PixelConverter, ABgrCopyKeepsIndexAndTime) {
    PixelConverter converter;
    FramePool pool;
    const Frame frame = flat(PixelFormat::yuv420p, 20, 10, 90, 100, 110, ColorMatrix::bt601, ColorRange::limited);
    const Frame copy = converter.bgr_copy(frame.with_timing(5, 0.25, {}), pool).finish();
    EXPECT_EQ(copy.info().format, PixelFormat::bgr24);
    EXPECT_EQ(copy.info().index, 5);
    EXPECT_EQ(copy.info().pts, 0.25);
    EXPECT_EQ(copy.info().range, ColorRange::full);
}

}  // namespace
}  // namespace throng
