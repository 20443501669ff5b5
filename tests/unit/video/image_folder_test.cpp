// Folders of images.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/video/image_ahead.h"
#include "core/video/image_source.h"
#include "core/video/source.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

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
    write_bytes(scratch, "p10.png", encode_bytes(".png", gradient_image(30, 20, CV_8UC3)));
    write_bytes(scratch, "p2.png", encode_bytes(".png", gradient_image(30, 20, CV_8UC3)));
    write_bytes(scratch, "p3.jpg", encode_bytes(".jpg", gradient_image(16, 16, CV_8UC1)));
    write_bytes(scratch, "p1.png", {'n', 'o'});
    write_bytes(scratch, "noextension", encode_bytes(".png", gradient_image(16, 16, CV_8UC1)));
    write_bytes(scratch, "notes.txt", {'n', 'o'});
    write_bytes(scratch, ".hidden.png", encode_bytes(".png", gradient_image(30, 20, CV_8UC3)));
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
    EXPECT_NE(source->notice().text().find("1 image skipped"), std::string::npos) << source->notice();
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
            write_bytes(scratch_, name_of(i), encode_bytes(".png", cv::Mat(side, side, CV_8UC1, cv::Scalar(i))));
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
    write_bytes(scratch_, name_of(5), {'n', 'o'});
    const Bytes jpeg = encode_bytes(".jpg", gradient_image(64, 64, CV_8UC3));
    write_bytes(scratch_, name_of(7),
                Bytes(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(jpeg.size() * 3 / 4)));
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
    ImageAhead queue(ImageSizes::whole, 1);  // only the first image of the queue may be decoded
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
    write_bytes(scratch, "a.png", {'n', 'o'});
    write_bytes(scratch, "b.jpg", {});
    try {
        static_cast<void>(open_source(scratch.path().string()));
        ADD_FAILURE();
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
        EXPECT_NE(failure.problem().text().find("none of the 2 images"), std::string::npos);
    }
}

}  // namespace
}  // namespace throng
