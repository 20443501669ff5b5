// The crowd, mosaics, cameras and GStreamer pipelines.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/synth/crowd.h"
#include "core/video/mosaic_source.h"
#include "core/video/source.h"

namespace throng {
namespace {

ErrorKind kind_of_failure(const std::string& spec) {
    try {
        static_cast<void>(open_source(spec));
    } catch (const Error& failure) {
        return failure.kind();
    }
    ADD_FAILURE() << spec << " was accepted";
    return ErrorKind::internal;
}

TEST(CrowdSource, FramesAreThoseOfTheGenerator) {
    auto source = open_source("crowd:faces=3,size=128x96,seed=7,frames=4,fps=10");
    const SourceInfo info = source->info();
    EXPECT_EQ(info.width, 128);
    EXPECT_EQ(info.frame_count, 4);
    EXPECT_DOUBLE_EQ(info.duration.value_or(0), 0.4);
    EXPECT_FALSE(info.live);
    const Crowd crowd(parse_crowd_options("faces=3,size=128x96,seed=7"));
    Frame frame;
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
        EXPECT_EQ(frame.info().index, i);
        EXPECT_NEAR(frame.info().pts, i / 10.0, 1e-9);
    }
    EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
    ASSERT_TRUE(source->seek(0.2));
    ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
    EXPECT_EQ(frame.info().index, 2);
    EXPECT_FALSE(open_source("crowd:size=64x64,faces=1")->info().frame_count) << "endless";
}

TEST(CrowdSource, WrongKeysAreNamed) {
    for (const char* spec : {"crowd:faces=many", "crowd:size=0x0", "crowd:color=red", "crowd:faces=1,faces=2"}) {
        EXPECT_EQ(kind_of_failure(spec), ErrorKind::usage) << spec;
    }
}

// A source of one given frame.
class OneFrame final : public VideoSource {
public:
    explicit OneFrame(Frame frame) : frame_(std::move(frame)) {}
    ReadStatus read(Frame& frame, std::stop_token) override { return frame = frame_, ReadStatus::frame; }
    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = "one";
        info.width = frame_.width();
        info.height = frame_.height();
        info.live = true;
        return info;
    }

private:
    Frame frame_;
};

TEST(Mosaic, FourCopiesOfEveryFormatAndSize) {
    FramePool pool;
    for (const PixelFormat format : {PixelFormat::bgr24, PixelFormat::gray8, PixelFormat::yuv420p, PixelFormat::nv12}) {
        for (const auto& [width, height] : {std::pair{6, 4}, std::pair{5, 3}, std::pair{1, 1}}) {
            WritableFrame image = pool.take(format, width, height);
            for (int p = 0; p < plane_count(format); ++p) {
                const PlaneView& plane = image.plane(p);
                for (int y = 0; y < plane.height; ++y) {
                    for (int x = 0; x < plane.width; ++x) {
                        image.data(p)[y * plane.pitch + x] = static_cast<std::uint8_t>(100 * p + 10 * y + x);
                    }
                }
            }
            image.info().pts = 1.5;
            const Frame single = std::move(image).finish();
            auto mosaic = make_mosaic(std::make_unique<OneFrame>(single));
            EXPECT_EQ(mosaic->info().width, 2 * width);
            EXPECT_EQ(mosaic->info().name, "mosaic:one");
            EXPECT_TRUE(mosaic->info().live);
            Frame four;
            ASSERT_EQ(mosaic->read(four, {}), ReadStatus::frame);
            ASSERT_EQ(four.width(), 2 * width);
            ASSERT_EQ(four.height(), 2 * height);
            EXPECT_EQ(four.info().pts, 1.5);
            const PlaneView& small = single.plane(0);
            const PlaneView& large = four.plane(0);
            for (int y = 0; y < 2 * height; ++y) {
                for (int x = 0; x < large.width; ++x) {
                    ASSERT_EQ(large.data[y * large.pitch + x], small.data[y % height * small.pitch + x % small.width]);
                }
            }
            for (int p = 1; p < plane_count(format); ++p) {  // the corners, where odd sizes are critical
                const PlaneView& from = single.plane(p);
                const PlaneView& to = four.plane(p);
                EXPECT_EQ(to.data[0], from.data[0]);
                EXPECT_EQ(to.data[to.pitch * (to.height - 1) + to.width - 1],
                          from.data[from.pitch * (from.height - 1) + from.width - 1]);
            }
        }
    }
}

TEST(Mosaic, OfACrowdAndOfItself) {
    auto source = open_source("mosaic:mosaic:crowd:faces=2,size=64x64,frames=2");
    EXPECT_EQ(source->info().width, 256);
    EXPECT_EQ(source->info().frame_count, 2);
    Frame frame;
    ASSERT_EQ(source->read(frame, {}), ReadStatus::frame);
    EXPECT_EQ(frame.width(), 256);
    EXPECT_TRUE(source->seek(0));
    EXPECT_EQ(kind_of_failure("mosaic:missing.mp4"), ErrorKind::input);
    EXPECT_EQ(kind_of_failure("mosaic:"), ErrorKind::input);
}

TEST(Camera, AMissingCameraIsRejectedWithAListOfCameras) {
    for (const char* spec : {"camera:9999", "/dev/video9999"}) {
        try {
            static_cast<void>(open_source(spec));
            ADD_FAILURE();
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::input);
            EXPECT_NE(failure.advice().text().find("camera"), std::string::npos);
        }
    }
    for (const char* spec : {"camera:", "camera:x", "camera:-1", "camera:123456789012", "/dev/videoX"}) {
        EXPECT_EQ(kind_of_failure(spec), ErrorKind::usage) << spec;
    }
    for (const CameraInfo& camera : list_cameras()) EXPECT_EQ(camera.spec.rfind("camera:", 0), 0U);
}

TEST(Gstreamer, APipelinePlaysIfGstreamerIsAvailable) {
    std::unique_ptr<VideoSource> source;
    try {
        source = open_source("gst:videotestsrc num-buffers=20 ! video/x-raw,width=64,height=48");
    } catch (const Error& failure) {
        GTEST_SKIP() << "skipped: " << failure.what();
    }
    Frame frame;
    int frames = 0;
    for (int timeouts = 0; timeouts < 50;) {
        const ReadStatus status = source->read(frame, {});
        if (status == ReadStatus::end) break;
        status == ReadStatus::timeout ? ++timeouts : ++frames;
    }
    EXPECT_GT(frames, 0);
    EXPECT_EQ(frame.width(), 64);
}

struct PipelineOutcome {
    int frames = 0;
    std::string error;
};

// Reads a pipeline to its end. Returns no frames if there is no GStreamer.
PipelineOutcome outcome_of_pipeline(const std::string& pipeline) {
    PipelineOutcome outcome;
    try {
        const auto source = open_source("gst:" + pipeline);
        Frame frame;
        for (ReadStatus status = ReadStatus::frame; status != ReadStatus::end;) {
            status = source->read(frame, {});
            outcome.frames += status == ReadStatus::frame || status == ReadStatus::format_changed ? 1 : 0;
        }
    } catch (const Error& error) {
        outcome.error = error.what();
    }
    return outcome;
}

TEST(Gstreamer, APipelineThatFailsIsNoRegularEnd) {
    const std::string source = "videotestsrc ! video/x-raw,width=64,height=48 ";
    const PipelineOutcome whole = outcome_of_pipeline("videotestsrc num-buffers=5 ! identity name=last");
    if (whole.error.find("without GStreamer") != std::string::npos) GTEST_SKIP() << "skipped: " << whole.error;
    EXPECT_EQ(whole.error, "");
    EXPECT_GT(whole.frames, 0);
    for (const char* end : {"! identity error-after=5", "! identity error-after=5 ! queue",
                            "! identity error-after=5 ! videoconvert ! video/x-raw,format=BGR ! appsink sync=false"}) {
        const PipelineOutcome dead = outcome_of_pipeline(source + end);
        // GStreamer's message, also if the error comes before OpenCV has started the pipeline.
        EXPECT_NE(dead.error.find("Failed after iterations"), std::string::npos) << end << dead.error;
        EXPECT_LE(dead.frames, 5) << end;
    }
    // The error of another pipeline at the same time.
    const auto other = open_source("gst:" + source);
    Frame frame;
    EXPECT_NE(outcome_of_pipeline(source + "! identity error-after=3").error, "");
    for (int i = 0; i < 5; ++i) EXPECT_NE(other->read(frame, {}), ReadStatus::end);
}

TEST(Gstreamer, FormatsThatCannotBeReadAreRejected) {
    const std::string source = "videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48,format=";
    for (const char* format : {"BGR", "GRAY8"}) {
        const PipelineOutcome read = outcome_of_pipeline(source + format + " ! appsink sync=false");
        if (read.error.find("without GStreamer") != std::string::npos) GTEST_SKIP() << "skipped: " << read.error;
        EXPECT_EQ(read.error, "") << format;
        EXPECT_GT(read.frames, 0) << format;
    }
    for (const char* format : {"NV12", "I420", "YUY2", "BGRx"}) {
        const PipelineOutcome read = outcome_of_pipeline(source + format + " ! appsink sync=false");
        EXPECT_EQ(read.frames, 0) << format;
        EXPECT_NE(read.error.find("format=BGR"), std::string::npos) << format << read.error;
    }
}

TEST(Gstreamer, AnInvalidPipelineIsRejectedWithoutItsPassword) {
    try {
        SourceOptions options;
        options.open_timeout = 1;  // OpenCV blocks for ever in such a pipeline
        static_cast<void>(open_source("gst:nosuchelement location=rtsp://alice:wonder-land@host/x", options));
        ADD_FAILURE();
    } catch (const Error& failure) {
        EXPECT_EQ(std::string(failure.what()).find("wonder-land"), std::string::npos);
    }
}

}  // namespace
}  // namespace throng
