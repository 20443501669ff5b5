// Still images and folders of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
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
#include "core/video/source.h"
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

TEST(Image, RealPhotographsAreReadAsOpencvReadsThem) {
    TH_NEED(data, test::data_dir(), "test data");
    for (const char* name :
         {"photos/roth-selfie.jpg", "photos/pif-homepage-banner.webp", "photos/pif-reunion-19.jpg"}) {
        expect_same(load_image(data / name).frame, cv::imread((data / name).string(), cv::IMREAD_COLOR));
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
