// Image files that are written.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "core/video/image_writer.h"
#include "core/video/jpeg.h"
#include "core/video/png.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

TEST(ImageWriter, WrittenImagesReadBackEqual) {
    const ScratchDir scratch;
    for (const int type : {CV_8UC1, CV_8UC3}) {
        const cv::Mat image = gradient_image(33, 17, type);
        const Frame frame = load_image(write_bytes(scratch, "in.png", encode_bytes(".png", image))).frame;
        const std::string path = (scratch.path() / "out.png").string();
        write_image(path, frame);
        expect_same_pixels(load_image(path).frame, image);
    }
}

TEST(ImageWriter, JpegIsThatOfOpenCV) {
    for (const int type : {CV_8UC1, CV_8UC3}) {
        for (const cv::Size size : {cv::Size(1, 1), cv::Size(33, 17), cv::Size(640, 480)}) {
            const cv::Mat image = gradient_image(size.width, size.height, type);
            std::vector<std::uint8_t> expected;
            ASSERT_TRUE(cv::imencode(".jpg", image, expected, {cv::IMWRITE_JPEG_QUALITY, 92}));
            EXPECT_EQ(encode_jpeg(image, 92), expected) << size;
        }
    }
    EXPECT_TRUE(encode_jpeg(cv::Mat(1, 65'501, CV_8UC1), 92).empty());  // larger than the format holds
}

TEST(ImageWriter, PngIsReadByOpenCVAndIsNoLargerThanItsOwn) {
    for (const int type : {CV_8UC1, CV_8UC3}) {
        for (const cv::Size size : {cv::Size(1, 1), cv::Size(33, 17), cv::Size(640, 480)}) {
            const cv::Mat image = gradient_image(size.width, size.height, type);
            std::vector<std::uint8_t> theirs;
            ASSERT_TRUE(cv::imencode(".png", image, theirs));
            const std::vector<std::uint8_t> bytes = encode_png(image);
            EXPECT_LE(bytes.size(), theirs.size() + theirs.size() / 10) << size;
            const cv::Mat read = cv::imdecode(bytes, cv::IMREAD_UNCHANGED);
            ASSERT_EQ(read.type(), type) << size;
            EXPECT_EQ(cv::norm(read, image, cv::NORM_INF), 0) << size;
        }
    }
}

TEST(ImageWriter, ErrorsAreReported) {
    const ScratchDir scratch;
    const Frame frame =
        load_image(write_bytes(scratch, "in.png", encode_bytes(".png", gradient_image(33, 17, CV_8UC3)))).frame;
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
