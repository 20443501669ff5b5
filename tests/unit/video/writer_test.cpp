// Recorded videos, read back.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/convert.h"
#include "core/video/source.h"
#include "core/video/video_writer.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using test::ScratchDir;

Frame plain(int width, int height, int b, int g, int r, double pts, PixelFormat format = PixelFormat::bgr24) {
    static FramePool pool;
    WritableFrame image = pool.take(format, width, height);
    const int values[3] = {b, g, r};
    for (int p = 0; p < plane_count(format); ++p) {
        const PlaneView& plane = image.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            for (int x = 0; x < plane.width; ++x) {
                const int value = format == PixelFormat::bgr24 ? values[x % 3] : values[p];
                image.data(p)[y * plane.pitch + x] = static_cast<std::uint8_t>(value);
            }
        }
    }
    image.info().pts = pts;
    if (format == PixelFormat::bgr24) image.info().range = ColorRange::full;
    return std::move(image).finish();
}

std::vector<Frame> read_back(const std::string& path) {
    auto source = open_source(path);
    std::vector<Frame> frames;
    Frame frame;
    while (source->read(frame, {}) != ReadStatus::end) frames.push_back(frame);
    return frames;
}

std::vector<int> color_at(const Frame& frame, int x, int y) {
    FramePool pool;
    PixelConverter converter;
    WritableFrame bgr = converter.bgr_copy(frame, pool);
    const std::uint8_t* pixel = bgr.data(0) + y * bgr.plane(0).pitch + 3 * x;
    return {pixel[0], pixel[1], pixel[2]};
}

void expect_near(const std::vector<int>& got, const std::vector<int>& want, int tolerance) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "channel " << i;
}

TEST(VideoWriter, ColorsAndTimesArePreserved) {
    const ScratchDir scratch;
    for (const char* name : {"a.mp4", "a.mkv", "a.mov"}) {
        const std::string path = (scratch.path() / name).string();
        const std::vector<double> times = {5.0, 5.04, 5.08, 5.2, 5.24, 6.5};  // does not start at 0, irregular steps
        VideoWriter writer(path);
        for (const double pts : times) writer.write(plain(96, 64, 40, 90, 200, pts));
        writer.close();
        EXPECT_EQ(writer.frames(), 6);
        const std::vector<Frame> frames = read_back(path);
        ASSERT_EQ(frames.size(), times.size()) << name;
        for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(frames[i].info().pts, times[i] - 5, 2e-3) << name;
        expect_near(color_at(frames[3], 50, 30), {40, 90, 200}, 5);
    }
}

TEST(VideoWriter, EveryFormatAndOddSizes) {
    const ScratchDir scratch;
    for (const PixelFormat format : {PixelFormat::bgr24, PixelFormat::yuv420p, PixelFormat::gray8}) {
        for (const auto& [width, height] : {std::pair{33, 17}, std::pair{1, 1}, std::pair{64, 47}}) {
            const std::string path = (scratch.path() / "odd.mp4").string();
            VideoWriter writer(path);
            for (int i = 0; i < 3; ++i) writer.write(plain(width, height, 120, 128, 128, i / 25.0, format));
            writer.close();
            const std::vector<Frame> frames = read_back(path);
            ASSERT_EQ(frames.size(), 3U);
            EXPECT_EQ(frames[0].width(), width + width % 2);
            EXPECT_EQ(frames[0].height(), height + height % 2);
            const PlaneView& luma = frames[0].plane(0);
            EXPECT_NEAR(luma.data[0], luma.data[luma.pitch * (luma.height - 1) + luma.width - 1], 4) << "padding";
        }
    }
}

TEST(VideoWriter, FramesOfAnotherSizeAreScaledToFit) {
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    VideoWriter writer(path);
    writer.write(plain(128, 64, 255, 255, 255, 0));
    writer.write(plain(100, 100, 255, 255, 255, 0.04));
    writer.close();
    const std::vector<Frame> frames = read_back(path);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[1].width(), 128);
    expect_near(color_at(frames[1], 64, 32), {255, 255, 255}, 8);
    expect_near(color_at(frames[1], 5, 32), {0, 0, 0}, 8);
}

TEST(VideoWriter, JumpsInTimeAreRemoved) {
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    VideoWriterOptions options;
    options.fps = 10;
    VideoWriter writer(path, options);
    for (const double pts : {3.0, 3.1, 0.0, 0.1, 500.0, std::nan(""), 500.1}) writer.write(plain(32, 32, 1, 2, 3, pts));
    writer.close();
    const std::vector<Frame> frames = read_back(path);
    ASSERT_EQ(frames.size(), 7U);
    for (std::size_t i = 0; i < frames.size(); ++i)
        EXPECT_NEAR(frames[i].info().pts, 0.1 * static_cast<double>(i), 0.01);
}

TEST(VideoWriter, AFileThatWasNeverClosedIsValid) {
    const ScratchDir scratch;
    VideoWriterOptions options;
    options.fps = 10;
    VideoWriter writer((scratch.path() / "a.mp4").string(), options);
    for (int i = 0; i < 120; ++i) writer.write(plain(64, 64, i, 2 * i, 200 - i, i / 10.0));
    const std::string copy = (scratch.path() / "killed.mp4").string();
    std::filesystem::copy_file(scratch.path() / "a.mp4", copy);
    EXPECT_GT(read_back(copy).size(), 20U);
}

TEST(VideoWriter, ClosingTwiceAndWithoutFrames) {
    const ScratchDir scratch;
    const std::string path = (scratch.path() / "a.mp4").string();
    VideoWriter writer(path);
    writer.close();
    writer.close();
    EXPECT_FALSE(std::filesystem::exists(path)) << "no file is created without frames";
    EXPECT_THROW(writer.write(plain(8, 8, 0, 0, 0, 0)), Error);
}

TEST(VideoWriter, ErrorsAreReported) {
    const ScratchDir scratch;
    const auto kind = [](const std::string& path) {
        try {
            VideoWriter writer(path);
            for (int i = 0; i < 300; ++i) writer.write(plain(64, 64, i, 7 * i, 3 * i, i / 25.0));
            writer.close();
        } catch (const Error& failure) {
            EXPECT_EQ(failure.where(), path);
            return failure.kind();
        }
        return ErrorKind::internal;
    };
    EXPECT_EQ(kind((scratch.path() / "a.xyz").string()), ErrorKind::usage);
    EXPECT_EQ(kind((scratch.path() / "missing/a.mp4").string()), ErrorKind::input);
    std::filesystem::create_symlink("/dev/full", scratch.path() / "full.mp4");
    EXPECT_EQ(kind((scratch.path() / "full.mp4").string()), ErrorKind::input);
}

}  // namespace
}  // namespace throng
