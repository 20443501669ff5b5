// Still images that are broken, damaged or cut short.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "core/video/source.h"
#include "tests/support/bytes_read.h"
#include "tests/support/sanitized.h"
#include "tests/unit/video/image_files.h"

extern "C" {
// After <cstdio>, which they need.
#include <jerror.h>
#include <jpeglib.h>
}

namespace throng {
namespace {

using namespace test;

TEST(Image, BrokenFilesAreRejectedWithAMessage) {
    const ScratchDir scratch;
    const Bytes png = encode_bytes(".png", gradient_image(64, 64, CV_8UC3));
    expect_rejected_image(write_bytes(scratch, "empty.png", {}), "empty");
    expect_rejected_image(write_bytes(scratch, "words.jpg", {'w', 'o', 'r', 'd', 's'}), "not an image");
    expect_rejected_image((scratch.path() / "missing.png").string(), "No such file");
    expect_rejected_image(write_bytes(scratch, "head.png", Bytes(png.begin(), png.begin() + 20)), "");
    expect_rejected_image(write_bytes(scratch, "head.jpg", {0xFF, 0xD8, 0xFF, 0xE0, 0, 4}), "");
    Bytes bomb = png;
    std::fill(bomb.begin() + 16, bomb.begin() + 24, std::uint8_t{0x01});  // 16843009 x 16843009
    expect_rejected_image(write_bytes(scratch, "bomb.png", bomb), "too large");
    const std::string pnm = "P6\n# 20000\n20000 20000\n255\n";
    expect_rejected_image(write_bytes(scratch, "bomb.ppm", Bytes(pnm.begin(), pnm.end())), "too large");
    Bytes animated(40, 0);
    std::memcpy(animated.data(), "RIFF\x20\0\0\0WEBPVP8X\x0A\0\0\0\x02\0\0\0\x0F\0\0\x0F\0\0", 30);
    expect_rejected_image(write_bytes(scratch, "moving.webp", animated), "animated WebP");
}

TEST(Image, ATruncatedJpegIsDecodedAndReported) {
    const ScratchDir scratch;
    Bytes jpeg = encode_bytes(".jpg", gradient_image(200, 200, CV_8UC3));
    jpeg.resize(jpeg.size() / 2);
    const LoadedImage loaded = load_image(write_bytes(scratch, "cut.jpg", jpeg));
    EXPECT_EQ(loaded.frame.width(), 200);
    EXPECT_NE(loaded.incomplete.find("cut short"), std::string::npos);
}

TEST(Image, ATruncatedTiffIsReportedOrRejected) {
    const ScratchDir scratch;
    const Bytes whole = tiff_with_orientation(gradient_image(64, 48, CV_8UC3), 1);
    EXPECT_EQ(load_image(write_bytes(scratch, "whole.tif", whole)).incomplete, "");
    for (const std::size_t missing : {std::size_t{1}, std::size_t{100}, whole.size() / 2}) {
        const Bytes cut(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(missing));
        try {
            EXPECT_NE(load_image(write_bytes(scratch, "cut.tif", cut)).incomplete.find("cut short"), std::string::npos);
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
        const Bytes whole = encode_bytes(".jpg", noise, {cv::IMWRITE_JPEG_PROGRESSIVE, progressive ? 1 : 0});
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
            const LoadedImage loaded = load_image(write_bytes(scratch, name, bytes));
            EXPECT_NE(loaded.incomplete.find("the image is damaged"), std::string::npos) << name << progressive;
            EXPECT_TRUE(loaded.frame.info().damaged) << name;
            EXPECT_EQ(loaded.frame.width(), 320);
        }
        // Data after the end marker are not part of the image.
        Bytes followed = whole;
        append(followed, Bytes(5000, 0x41));
        EXPECT_EQ(load_image(write_bytes(scratch, "followed.jpg", followed)).incomplete, "");
        EXPECT_EQ(load_image(write_bytes(scratch, "whole.jpg", whole)).incomplete, "");
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a line without the name of the file";
    }
}

TEST(Image, TheWidestImagesAreRead) {
    const ScratchDir scratch;
    constexpr int kWidest = 65500;  // of JPEG
    for (const char* extension : {".jpg", ".png", ".bmp", ".tiff", ".ppm"}) {
        for (const cv::Size size : {cv::Size(kWidest, 8), cv::Size(8, kWidest)}) {
            const std::string name = std::string("wide") + extension;
            const std::string path =
                write_bytes(scratch, name, encode_bytes(extension, cv::Mat(size, CV_8UC3, cv::Scalar::all(90))));
            const LoadedImage loaded = load_image(path);
            EXPECT_EQ(cv::Size(loaded.frame.width(), loaded.frame.height()), size) << name;
            EXPECT_EQ(loaded.frame.plane(0).data[3 * (size.width - 1)], 90) << name;
            EXPECT_EQ(loaded.incomplete, "") << name;
        }
    }
}

TEST(Image, HostileBytesNeverCrash) {
    const ScratchDir scratch;
    for (const char* extension : {".png", ".jpg", ".bmp", ".tiff", ".webp", ".ppm"}) {
        if (!cv::haveImageWriter(std::string("a") + extension)) continue;
        const Bytes whole = encode_bytes(extension, gradient_image(40, 30, CV_8UC3));
        for (std::size_t i = 0; i < 60; ++i) {
            Bytes bytes = whole;
            bytes[(i * 7919) % std::min<std::size_t>(bytes.size(), 400)] ^= static_cast<std::uint8_t>(1U << i % 8);
            if (i % 3 == 0) bytes.resize(bytes.size() * (i + 1) / 61);
            static_cast<void>(read_image_header(bytes));
            if (i % 5 != 0) continue;
            try {
                static_cast<void>(load_image(write_bytes(scratch, std::string("x") + extension, bytes)));
            } catch (const Error& failure) {
                EXPECT_EQ(failure.kind(), ErrorKind::input);
            }
        }
    }
}

struct JpegErrors {
    jpeg_error_mgr base;
    std::jmp_buf failed;
    int warnings;
};

// Returns how many warnings libjpeg has about the data of a file; nothing if it does not decode it.
std::optional<int> jpeg_warnings(const Bytes& bytes) {
    static std::vector<JSAMPLE> row(std::size_t{4} * JPEG_MAX_DIMENSION);
    static JpegErrors errors;
    errors = {};
    jpeg_decompress_struct info{};
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = [](j_common_ptr) { std::longjmp(errors.failed, 1); };
    errors.base.output_message = [](j_common_ptr) {};
    errors.base.emit_message = [](j_common_ptr, int level) {
        const int code = errors.base.msg_code;
        errors.warnings += level < 0 && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR ? 1 : 0;
    };
    if (setjmp(errors.failed) != 0) {
        jpeg_destroy_decompress(&info);
        return std::nullopt;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info, TRUE);
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
        JSAMPROW to = row.data();
        jpeg_read_scanlines(&info, &to, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return errors.warnings;
}

// Reads an image, or all frames of an animation. Returns nothing if the file is rejected.
std::optional<LoadedImage> read_seed(const std::string& path) {
    try {
        const std::optional<ImageHeader> header = read_image_header(path, ImagePart::kind);
        if (header && !header->animated) return load_image(path);
        const auto source = open_source(path);
        LoadedImage last;
        while (source->read(last.frame, {}) != ReadStatus::end) {
        }
    } catch (const Error& failure) {
        EXPECT_TRUE(failure.kind() == ErrorKind::input || failure.kind() == ErrorKind::unavailable) << failure.what();
        EXPECT_NE(failure.message().text().find(path), std::string::npos) << failure.what();
    }
    return std::nullopt;
}

// Returns the most memory that the process has used so far, in kilobytes.
long peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// JPEG, GIF and BMP files that fuzzers found.
TEST(Image, SeedsOfFuzzersEndWell) {
    TH_NEED(seeds, foreign_dir("image-seeds"), "seeds of fuzzers (image-seeds)");
    int compared = 0;
    int reported = 0;
    const long before = peak_memory();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(seeds)) {
        if (!entry.is_regular_file() || entry.path().filename() == "LICENSE") continue;
        SCOPED_TRACE(entry.path());
        const std::clock_t start = std::clock();  // of the processor
        const std::optional<LoadedImage> loaded = read_seed(entry.path().string());
        EXPECT_LT(std::clock() - start, (kSanitized ? 100 : 10) * CLOCKS_PER_SEC);
        ASSERT_LT(peak_memory() - before, kSanitized ? 1L << 24 : 1L << 20) << "kilobytes";
        const Bytes bytes = read_head(entry.path(), entry.file_size());
        if (!loaded || bytes.size() < 3 || bytes[0] != 0xFF || bytes[1] != 0xD8) continue;
        const std::optional<int> warnings = jpeg_warnings(bytes);
        if (warnings == 0) {
            EXPECT_EQ(loaded->incomplete, "");
            const cv::Mat expected = cv::imdecode(bytes, cv::IMREAD_ANYCOLOR);
            if (!expected.empty()) expect_same_pixels(loaded->frame, expected);
            ++compared;
        } else {
            EXPECT_NE(loaded->incomplete, "");
            ++reported;
        }
    }
    EXPECT_GT(compared, 0);  // most of them are damaged
    EXPECT_GT(reported, 100);
}

// Segments are up to 64 KB long, and are read as such before their length is known.
TEST(Image, AJpegOfTinySegmentsIsReadOnce) {
    if (bytes_read_so_far() == 0) GTEST_SKIP() << "skipped: no /proc/self/io";
    const ScratchDir scratch;
    Bytes jpeg = {0xFF, 0xD8};
    for (int i = 0; i < 100'000; ++i) append(jpeg, {0xFF, 0xE0, 0, 2});
    const std::string path = write_bytes(scratch, "a.jpg", jpeg);
    const std::uint64_t before = bytes_read_so_far();
    EXPECT_TRUE(read_image_header(path, ImagePart::all));
    EXPECT_LT(bytes_read_so_far() - before, 3 * jpeg.size());
}

}  // namespace
}  // namespace throng
