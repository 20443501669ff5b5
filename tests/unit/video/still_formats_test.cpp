// Stills in formats that no single library reads as their files mean them: by content, whatever the name.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/video/file_kind.h"
#include "core/video/image_file.h"
#include "core/video/source.h"
#include "tests/support/video_files.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

constexpr int kStillWidth = 24;
constexpr int kStillHeight = 10;

// The red, green and blue of a pixel: different in all places and channels.
std::array<int, 3> still_color(int x, int y) {
    return {10 * x, 25 * y, (7 * x + 90 + 3 * y) % 256};
}

void add_number(Bytes& to, std::uint64_t value, int size, bool little = true) {
    for (int i = 0; i < size; ++i) {
        to.push_back(static_cast<std::uint8_t>(value >> (8 * (little ? i : size - 1 - i))));
    }
}

// Compares every pixel with expected(x, y): red, green, blue.
template <class Expected>
void expect_still(const LoadedImage& loaded, int tolerance, const Expected& expected) {
    ASSERT_EQ(loaded.frame.width(), kStillWidth);
    ASSERT_EQ(loaded.frame.height(), kStillHeight);
    const PlaneView& plane = loaded.frame.plane(0);
    const bool gray = loaded.frame.info().format == PixelFormat::gray8;
    for (int y = 0; y < kStillHeight; ++y) {
        for (int x = 0; x < kStillWidth; ++x) {
            const std::array<int, 3> color = expected(x, y);
            for (int c = 0; c < 3; ++c) {
                const int value = plane.data[plane.pitch * y + (gray ? x : 3 * x + 2 - c)];
                ASSERT_NEAR(value, color[static_cast<std::size_t>(c)], tolerance) << x << ", " << y << ", " << c;
            }
        }
    }
}

std::array<int, 3> still_gray(int x, int y) {
    const int value = still_color(x, y)[0];
    return {value, value, value};
}

cv::Mat still_image(int type = CV_8UC3) {
    cv::Mat image(kStillHeight, kStillWidth, CV_8UC3);
    for (int y = 0; y < kStillHeight; ++y) {
        for (int x = 0; x < kStillWidth; ++x) {
            const auto color = still_color(x, y);
            for (int c = 0; c < 3; ++c) {
                image.at<cv::Vec3b>(y, x)[2 - c] = static_cast<std::uint8_t>(color[static_cast<std::size_t>(c)]);
            }
        }
    }
    if (type == CV_32FC3) image.convertTo(image, CV_32F, 1.0 / 255);
    return image;
}

// A bitmap whose pixels hold the colors where the masks say.
Bytes masked_bitmap(int bits, const std::array<std::uint32_t, 4>& masks) {
    Bytes bytes = {'B', 'M'};
    const auto row = static_cast<std::size_t>(kStillWidth * bits / 8);
    add_number(bytes, 122 + row * kStillHeight, 4);
    add_number(bytes, 0, 4);
    add_number(bytes, 122, 4);
    add_number(bytes, 108, 4);
    add_number(bytes, kStillWidth, 4);
    add_number(bytes, kStillHeight, 4);
    add_number(bytes, 1, 2);
    add_number(bytes, static_cast<std::uint64_t>(bits), 2);
    add_number(bytes, 3, 4);
    bytes.resize(54);
    for (const std::uint32_t mask : masks) add_number(bytes, mask, 4);
    bytes.resize(122);
    for (int y = kStillHeight; y-- > 0;) {
        for (int x = 0; x < kStillWidth; ++x) {
            std::uint32_t pixel = 0;
            for (std::size_t c = 0; c < 3; ++c) {
                const std::uint32_t low = masks[c] & (~masks[c] + 1);
                const std::uint64_t most = masks[c] / low;
                pixel |=
                    static_cast<std::uint32_t>(static_cast<std::uint64_t>(still_color(x, y)[c]) * most / 255) * low;
            }
            add_number(bytes, pixel, bits / 8);
        }
    }
    return bytes;
}

TEST(StillFormats, TheMasksOfABitmapSayWhereItsColorsAre) {
    const ScratchDir scratch;
    using Masks = std::array<std::uint32_t, 4>;
    for (const auto& [bits, tolerance, masks] :
         {std::tuple{32, 0, Masks{0xFF, 0xFF00, 0xFF0000, 0}},
          std::tuple{32, 0, Masks{0xFF000000, 0xFF0000, 0xFF00, 0}},
          std::tuple{32, 1, Masks{0x3FF00000, 0xFFC00, 0x3FF, 0}}, std::tuple{16, 8, Masks{0x7C00, 0x3E0, 0x1F, 0}},
          std::tuple{16, 8, Masks{0xF800, 0x7E0, 0x1F, 0}}, std::tuple{16, 17, Masks{0xF00, 0xF0, 0xF, 0}}}) {
        SCOPED_TRACE(std::to_string(bits) + " bits, red " + std::to_string(masks[0]));
        const LoadedImage loaded = load_image(write_bytes(scratch, "a.bmp", masked_bitmap(bits, masks)));
        expect_still(loaded, tolerance, still_color);
        EXPECT_FALSE(loaded.composed);
    }
    // All pixels are transparent: the alpha samples are 0.
    const LoadedImage hidden =
        load_image(write_bytes(scratch, "a.bmp", masked_bitmap(32, {0xFF0000, 0xFF00, 0xFF, 0xFF000000})));
    expect_still(hidden, 0, [](int, int) { return std::array{255, 255, 255}; });
    EXPECT_TRUE(hidden.composed);
}

TEST(StillFormats, TheOldHeaderOfABitmapIsRead) {
    const ScratchDir scratch;
    Bytes bytes = {'B', 'M'};
    add_number(bytes, 26 + 3 * kStillWidth * kStillHeight, 4);
    add_number(bytes, 0, 4);
    add_number(bytes, 26, 4);
    add_number(bytes, 12, 4);
    for (const int value : {kStillWidth, kStillHeight, 1, 24}) add_number(bytes, static_cast<std::uint64_t>(value), 2);
    for (int y = kStillHeight; y-- > 0;) {
        for (int x = 0; x < kStillWidth; ++x) {
            const auto color = still_color(x, y);
            for (std::size_t c = 3; c-- > 0;) bytes.push_back(static_cast<std::uint8_t>(color[c]));
        }
    }
    expect_still(load_image(write_bytes(scratch, "os2.bmp", bytes)), 0, still_color);
}

TEST(StillFormats, AnyMaximumOfAPortableMapIsScaled) {
    const ScratchDir scratch;
    for (const int most : {1, 100, 255, 1023, 65535}) {
        for (const bool text : {false, true}) {
            SCOPED_TRACE(std::to_string(most) + (text ? ", text" : ""));
            Bytes bytes;
            append(bytes, text_bytes(std::string(text ? "P3" : "P6") + "\n# 1 2 3\n" + std::to_string(kStillWidth) +
                                     " " + std::to_string(kStillHeight) + "\n" + std::to_string(most) + "\n"));
            for (int y = 0; y < kStillHeight; ++y) {
                for (int x = 0; x < kStillWidth; ++x) {
                    for (const int color : still_color(x, y)) {
                        const int value = (color * most + 127) / 255;
                        if (text) {
                            append(bytes, text_bytes(std::to_string(value) + "\n"));
                        } else {
                            add_number(bytes, static_cast<std::uint64_t>(value), most > 255 ? 2 : 1, false);
                        }
                    }
                }
            }
            const LoadedImage loaded = load_image(write_bytes(scratch, "a.ppm", bytes));
            EXPECT_EQ(loaded.incomplete, "");
            expect_still(loaded, 1 + (most < 255 ? 255 / most / 2 : 0), still_color);
        }
    }
}

TEST(StillFormats, BitmapsOfOneBitAreGray) {
    const ScratchDir scratch;
    Bytes bytes = text_bytes("P4\n" + std::to_string(kStillWidth) + " " + std::to_string(kStillHeight) + "\n");
    for (int y = 0; y < kStillHeight; ++y) append(bytes, {0xF0, 0x00, 0xFF});  // 1 is black
    const LoadedImage loaded = load_image(write_bytes(scratch, "a.pbm", bytes));
    EXPECT_EQ(loaded.frame.info().format, PixelFormat::gray8);
    expect_still(loaded, 0, [](int x, int) {
        const int value = x < 4 || x >= 16 ? 0 : 255;
        return std::array{value, value, value};
    });
}

TEST(StillFormats, FloatingPointMapsAndRadianceAreRead) {
    const ScratchDir scratch;
    for (const bool little : {false, true}) {
        Bytes bytes;
        append(bytes, text_bytes("PF\n" + std::to_string(kStillWidth) + " " + std::to_string(kStillHeight) +
                                 (little ? "\n-1.0\n" : "\n1.0\n")));
        for (int y = kStillHeight; y-- > 0;) {  // from the bottom
            for (int x = 0; x < kStillWidth; ++x) {
                for (const int color : still_color(x, y)) {
                    const float value = static_cast<float>(color) / 255;
                    std::uint32_t bits = 0;
                    std::memcpy(&bits, &value, sizeof bits);
                    add_number(bytes, bits, 4, little);
                }
            }
        }
        expect_still(load_image(write_bytes(scratch, "a.pfm", bytes)), 0, still_color);
    }
    Bytes radiance;
    ASSERT_TRUE(cv::imencode(".hdr", still_image(CV_32FC3), radiance));
    expect_still(load_image(write_bytes(scratch, "a.hdr", radiance)), 2, still_color);  // 8 bits and an exponent
}

// An uncompressed TIFF of one strip, with 32-bit offsets or as BigTIFF. extra: kind of the last sample; 0: none.
Bytes plain_tiff(int samples, int bits, int photometric, int extra, bool big, const Bytes& data) {
    Bytes bytes = {'I', 'I', static_cast<std::uint8_t>(big ? 43 : 42), 0};
    const int word = big ? 8 : 4;
    if (big) add_number(bytes, 8, 4);
    add_number(bytes, big ? 16 : 8, word);
    const std::uint64_t entries = extra != 0 ? 10 : 9;
    add_number(bytes, entries, big ? 8 : 2);
    const std::uint64_t end = bytes.size() + entries * (big ? 20 : 12) + static_cast<std::uint64_t>(word);
    const auto entry = [&](int tag, int type, std::uint64_t count, std::uint64_t value) {
        add_number(bytes, static_cast<std::uint64_t>(tag), 2);
        add_number(bytes, static_cast<std::uint64_t>(type), 2);
        add_number(bytes, count, word);
        add_number(bytes, value, word);
    };
    std::uint64_t depths = 0;  // up to four fit into an entry of BigTIFF
    for (int i = 0; i < samples; ++i) depths |= static_cast<std::uint64_t>(bits) << (16 * i);
    const bool inline_depths = samples * 2 <= word;
    entry(256, 3, 1, kStillWidth);
    entry(257, 3, 1, kStillHeight);
    entry(258, 3, static_cast<std::uint64_t>(samples), inline_depths ? depths : end);
    entry(259, 3, 1, 1);
    entry(262, 3, 1, static_cast<std::uint64_t>(photometric));
    entry(273, 4, 1, end + 8);
    entry(277, 3, 1, static_cast<std::uint64_t>(samples));
    entry(278, 3, 1, kStillHeight);
    entry(279, 4, 1, data.size());
    if (extra != 0) entry(338, 3, 1, static_cast<std::uint64_t>(extra));
    add_number(bytes, 0, word);
    add_number(bytes, depths, 8);
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

TEST(StillFormats, GrayTiffsMayBeTransparent) {
    const ScratchDir scratch;
    Bytes data;
    for (int y = 0; y < kStillHeight; ++y) {
        for (int x = 0; x < kStillWidth; ++x) {
            data.push_back(static_cast<std::uint8_t>(still_color(x, y)[0]));
            data.push_back(x < 5 ? 0 : 255);
        }
    }
    const LoadedImage loaded = load_image(write_bytes(scratch, "a.tif", plain_tiff(2, 8, 1, 2, false, data)));
    EXPECT_TRUE(loaded.composed);
    expect_still(loaded, 0, [](int x, int y) { return x < 5 ? std::array{255, 255, 255} : still_gray(x, y); });
    // What cannot be read with its transparency is not shown without it.
    EXPECT_THROW(
        static_cast<void>(load_image(write_bytes(scratch, "b.tif", plain_tiff(2, 16, 1, 2, false, Bytes(4 * 240, 1))))),
        Error);
}

TEST(StillFormats, TiffsWithOffsetsOf64BitsAreRead) {
    const ScratchDir scratch;
    Bytes data;
    for (int y = 0; y < kStillHeight; ++y) {
        for (int x = 0; x < kStillWidth; ++x) {
            for (const int color : still_color(x, y)) data.push_back(static_cast<std::uint8_t>(color));
        }
    }
    for (const bool big : {false, true}) {
        const std::string path = write_bytes(scratch, "a.tif", plain_tiff(3, 8, 2, 0, big, data));
        EXPECT_TRUE(is_still_image(path));
        expect_still(load_image(path), 0, still_color);
    }
}

TEST(StillFormats, DamageWithinATiffIsReported) {
    const ScratchDir scratch;
    cv::Mat noise(120, 160, CV_8UC3);
    cv::RNG random(7);  // the damage must meet data, wherever it is
    random.fill(noise, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(noise, noise, cv::Size(9, 9), 3);
    testing::internal::CaptureStderr();
    for (const int type : {CV_8U, CV_16U}) {
        cv::Mat image;
        noise.convertTo(image, type, type == CV_8U ? 1 : 257);
        constexpr int kLzw = 5;
        Bytes tiff;
        ASSERT_TRUE(cv::imencode(".tif", image, tiff, {cv::IMWRITE_TIFF_COMPRESSION, kLzw}));
        EXPECT_EQ(load_image(write_bytes(scratch, "whole.tif", tiff)).incomplete, "") << type;
        std::fill_n(tiff.begin() + static_cast<std::ptrdiff_t>(tiff.size() * 2 / 5), 1024, std::uint8_t{0});
        const std::string path = write_bytes(scratch, "damaged.tif", tiff);
        const LoadedImage loaded = load_image(path);
        EXPECT_NE(loaded.incomplete.find("the image is damaged"), std::string::npos) << type;
        EXPECT_TRUE(loaded.frame.info().damaged);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a line without the name of the file";
}

TEST(StillFormats, DarkValuesOf16BitsAreReported) {
    const ScratchDir scratch;
    cv::Mat deep;
    still_image().convertTo(deep, CV_16U, 257.0 / 16);  // 12 bits
    for (const char* extension : {".tif", ".ppm"}) {
        Bytes bytes;
        ASSERT_TRUE(cv::imencode(extension, deep, bytes));
        EXPECT_NE(load_image(write_bytes(scratch, "a", bytes)).incomplete.find("almost black"), std::string::npos)
            << extension;
    }
}

// By FFmpeg's encoders, under names that tell nothing.
TEST(StillFormats, OtherFormatsAreStillsWhateverTheirName) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    cv::imwrite((scratch.path() / "in.png").string(), still_image());
    cv::Mat cut(kStillHeight, kStillWidth, CV_8UC4);
    cv::cvtColor(still_image(), cut, cv::COLOR_BGR2BGRA);
    for (int y = 0; y < kStillHeight; ++y) {
        for (int x = 0; x < 5; ++x) cut.at<cv::Vec4b>(y, x)[3] = 0;
    }
    cv::imwrite((scratch.path() / "cut.png").string(), cut);
    struct Format {
        const char* extension;
        const char* opaque;  // pixel format
        const char* transparent;
        int tolerance;
    };
    int read = 0;
    for (const Format& format :
         {Format{".tga", "bgr24", "bgra", 0}, Format{".jp2", "rgb24", nullptr, 3},
          Format{".exr", "gbrpf32le", "gbrapf32le", 1}, Format{".dpx", "rgb24", "rgba", 0},
          Format{".sgi", "rgb24", "rgba", 0}, Format{".pcx", "rgb24", nullptr, 0}, Format{".qoi", "rgb24", "rgba", 0},
          Format{".ras", "rgb24", nullptr, 0}, Format{".pam", "rgb24", "rgba", 0}}) {
        for (const bool transparent : {false, true}) {
            if (transparent && format.transparent == nullptr) continue;
            SCOPED_TRACE(std::string(format.extension) + (transparent ? ", transparent" : ""));
            const auto made = scratch.path() / (std::string("a") + format.extension);
            try {
                test::ffmpeg("-i " + (scratch.path() / (transparent ? "cut.png" : "in.png")).string() + " -pix_fmt " +
                                 (transparent ? format.transparent : format.opaque) + " -frames:v 1",
                             made);
            } catch (const std::runtime_error&) {
                continue;  // this ffmpeg program has no such encoder
            }
            ++read;
            const auto path = scratch.path() / "100%d";
            std::filesystem::rename(made, path);
            EXPECT_TRUE(is_still_image(path));
            const LoadedImage loaded = load_image(path);
            EXPECT_EQ(loaded.incomplete, "");
            EXPECT_EQ(loaded.composed, transparent);
            expect_still(loaded, format.tolerance, [&](int x, int y) {
                return transparent && x < 5 ? std::array{255, 255, 255} : still_color(x, y);
            });
            const auto source = open_source(path.string());
            EXPECT_EQ(source->info().details, "image 24x10");
            std::filesystem::resize_file(path, std::filesystem::file_size(path) * 3 / 4);
            try {
                EXPECT_NE(load_image(path).incomplete, "");
            } catch (const Error& failure) {
                EXPECT_EQ(failure.kind(), ErrorKind::input) << failure.what();
            }
        }
    }
    EXPECT_GE(read, 8);
}

TEST(StillFormats, BytesThatAreCutOrEmptyNeverCrash) {
    const ScratchDir scratch;
    std::vector<Bytes> files = {masked_bitmap(32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}),
                                plain_tiff(3, 8, 2, 0, true, Bytes(720, 1)),
                                {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 0, 10, 0, 24, 0}};
    for (const char* extension : {".hdr", ".ppm", ".bmp"}) {
        Bytes bytes;
        if (cv::haveImageWriter(std::string("a") + extension) && cv::imencode(extension, still_image(), bytes)) {
            files.push_back(bytes);
        }
    }
    for (const Bytes& whole : files) {
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, std::size_t{12}, std::size_t{64}, whole.size() / 2, whole.size() - 1}) {
            Bytes bytes = whole;
            bytes.resize(std::min(size, whole.size()));
            try {
                static_cast<void>(load_image(write_bytes(scratch, "x", bytes)));
            } catch (const Error& failure) {
                EXPECT_EQ(failure.kind(), ErrorKind::input);
            }
        }
    }
}

}  // namespace
}  // namespace throng
