// throng anonymize on images, as a user calls it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"
#include "tests/unit/anonymize/inspect.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::run_program;

class AnonymizeImage : public testing::Test {
protected:
    std::string path(const std::string& name) { return (dir_.path() / name).string(); }

    test::ProgramResult anonymize(const std::string& in, const std::string& out) {
        return run_program({"anonymize", path(in), "--out", path(out), "--detector", "haar"});
    }

    // Draws a crowd.
    cv::Mat crowd() {
        EXPECT_EQ(run_program({"crowd", path("crowd.png"), "--faces", "8", "--size", "640x480"}).status, 0);
        return cv::imread(path("crowd.png"));
    }

    test::ScratchDir dir_;
};

std::string segment(char marker, const std::string& content) {
    const std::size_t size = content.size() + 2;
    return std::string{'\xFF', marker, static_cast<char>(size >> 8), static_cast<char>(size & 0xFF)} + content;
}

std::string little(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
}

// An EXIF block with the orientation 6 (rotate by 90 degrees), a camera, and a thumbnail in its second directory.
std::string exif(const std::string& thumbnail) {
    const std::string maker = "AliceCamera";
    std::string tiff = "II*" + std::string(1, '\0') + little(8, 4);
    tiff += little(2, 2);
    tiff += little(0x010F, 2) + little(2, 2) + little(static_cast<std::uint32_t>(maker.size()) + 1, 4) + little(38, 4);
    tiff += little(0x0112, 2) + little(3, 2) + little(1, 4) + little(6, 4);
    tiff += little(50, 4);  // the second directory
    tiff += maker + std::string(1, '\0');
    tiff += little(2, 2);
    tiff += little(0x0201, 2) + little(4, 2) + little(1, 4) + little(80, 4);
    tiff += little(0x0202, 2) + little(4, 2) + little(1, 4) + little(static_cast<std::uint32_t>(thumbnail.size()), 4);
    tiff += little(0, 4);
    return "Exif" + std::string(2, '\0') + tiff + thumbnail;
}

TEST_F(AnonymizeImage, RemovesEverythingButThePixels) {
    const cv::Mat image = crowd();
    std::vector<std::uint8_t> bytes;
    cv::imencode(".jpg", image, bytes, {cv::IMWRITE_JPEG_QUALITY, 95});
    cv::Mat small;
    cv::resize(image, small, cv::Size(160, 120));
    std::vector<std::uint8_t> thumbnail;
    cv::imencode(".jpg", small, thumbnail);
    const std::string jpeg(bytes.begin(), bytes.end());
    const std::string inner(thumbnail.begin(), thumbnail.end());
    const std::string second(jpeg);
    const std::string with_all =
        jpeg.substr(0, 2) + segment('\xE1', exif(inner)) +
        segment('\xE1', std::string("http://ns.adobe.com/xap/1.0/") + '\0' + "<x>AliceXmp</x>") +
        segment('\xE2', std::string("MPF") + '\0' + "AliceMpf") + segment('\xED', "Photoshop 3.0 AliceIptc") +
        segment('\xFE', "AliceComment") + jpeg.substr(2) + second + "AliceAppended";
    std::ofstream(path("in.jpg"), std::ios::binary) << with_all;
    // The thumbnail is a picture of the faces.
    ASSERT_TRUE(test::contains(path("in.jpg"), inner));
    ASSERT_EQ(cv::imread(path("in.jpg")).rows, 640) << "the orientation is not found";

    const auto result = anonymize("in.jpg", "out.jpg");
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string out = test::contents(path("out.jpg"));
    for (const std::string secret : {"Alice", "Exif", "adobe", "MPF", "Photoshop"}) {
        EXPECT_EQ(out.find(secret), std::string::npos) << secret;
    }
    EXPECT_EQ(out.find(inner), std::string::npos);
    EXPECT_EQ(out.substr(out.size() - 2), "\xFF\xD9");
    // One image only: a start marker of a second one would follow an end marker.
    EXPECT_EQ(out.find("\xFF\xD9\xFF\xD8"), std::string::npos);
    const cv::Mat hidden = cv::imread(path("out.jpg"));
    EXPECT_EQ(hidden.rows, 640);
    EXPECT_EQ(hidden.cols, 480);
    const nlohmann::json report = nlohmann::json::parse(test::contents(path("out.report.json")));
    EXPECT_GE(report.at("files").at(0).at("faces_detected"), 4);
}

TEST_F(AnonymizeImage, KeepsTheFormat) {
    const cv::Mat image = crowd();
    for (const std::string extension : {"png", "webp", "tif", "bmp", "jpg"}) {
        SCOPED_TRACE(extension);
        cv::imwrite(path("in." + extension), image);
        EXPECT_EQ(anonymize("in." + extension, "out." + extension).status, 0);
        EXPECT_EQ(test::contents(path("in." + extension)).substr(0, 2),
                  test::contents(path("out." + extension)).substr(0, 2));
        const cv::Mat hidden = cv::imread(path("out." + extension));
        ASSERT_EQ(hidden.size(), image.size());
        cv::Mat difference;
        cv::absdiff(hidden, image, difference);
        EXPECT_GT(cv::countNonZero(difference.reshape(1) > 40), 500) << "nothing is hidden";
    }
    // Colors below transparent pixels are gone, too.
    cv::Mat transparent;
    cv::cvtColor(image, transparent, cv::COLOR_BGR2BGRA);
    transparent.forEach<cv::Vec4b>([](cv::Vec4b& pixel, const int*) { pixel[3] = 0; });
    cv::imwrite(path("clear.png"), transparent);
    EXPECT_NE(anonymize("clear.png", "clear_out.png").out.find("over white"), std::string::npos);
    const cv::Mat clear = cv::imread(path("clear_out.png"), cv::IMREAD_UNCHANGED);
    EXPECT_EQ(cv::countNonZero(clear.reshape(1) != 255), 0);
}

TEST_F(AnonymizeImage, KeepsEveryFrameOfAnimations) {
    TH_NEED_FFMPEG();
    ASSERT_EQ(
        run_program({"crowd", path("crowd.mp4"), "--faces", "6", "--size", "480x320", "--frames", "8", "--fps", "10"})
            .status,
        0);
    test::ffmpeg("-i " + path("crowd.mp4") + " -vf 'split[a][b];[a]palettegen[p];[b][p]paletteuse'", path("in.gif"));
    test::ffmpeg("-i " + path("crowd.mp4") + " -f apng -plays 0", path("in.png"));
    for (const std::string extension : {"gif", "png"}) {
        SCOPED_TRACE(extension);
        const auto result = anonymize("in." + extension, "out." + extension);
        EXPECT_EQ(result.status, 0) << result.err;
        const test::MediaFacts before = test::inspect(path("in." + extension), 8);
        const test::MediaFacts after = test::inspect(path("out." + extension), 8);
        EXPECT_EQ(before.container, after.container);
        ASSERT_EQ(after.times.size(), 8U);
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_NEAR(before.times[i], after.times[i], 1e-3);
            const double similarity = test::psnr(before.gray[i], after.gray[i]);
            EXPECT_LT(similarity, 40) << "nothing is hidden in frame " << i;
            EXPECT_GT(similarity, 18) << "frame " << i;
        }
    }
}

TEST_F(AnonymizeImage, RejectsWhatItCannotWriteCompletely) {
    const cv::Mat image = crowd();
    cv::imwritemulti(path("pages.tif"), std::vector<cv::Mat>{image, image});
    const auto pages = anonymize("pages.tif", "out.tif");
    EXPECT_EQ(pages.status, 3);
    EXPECT_NE(pages.err.find("2 pages"), std::string::npos) << pages.err;
    EXPECT_FALSE(fs::exists(path("out.tif")));

    cv::imwrite(path("whole.jpg"), image);
    const std::string bytes = test::contents(path("whole.jpg"));
    std::ofstream(path("cut.jpg"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    const auto cut = anonymize("cut.jpg", "out.jpg");
    EXPECT_EQ(cut.status, 3);
    // The whole image is hidden: few colors remain.
    const cv::Mat hidden = cv::imread(path("out.jpg"), cv::IMREAD_GRAYSCALE);
    ASSERT_FALSE(hidden.empty());
    cv::Mat edges;
    cv::Laplacian(hidden, edges, CV_16S);
    EXPECT_LT(cv::norm(edges, cv::NORM_INF), 60);

    EXPECT_EQ(anonymize("whole.jpg", "out.mp4").status, 2);
    EXPECT_EQ(anonymize("whole.jpg", "out.xyz").status, 2);
}

}  // namespace
}  // namespace throng
