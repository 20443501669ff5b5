// The crowd, mosaics, cameras and GStreamer pipelines.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/frame/host_copies.h"
#include "core/synth/crowd.h"
#include "core/video/av.h"
#include "core/video/gstreamer_source.h"
#include "core/video/live_source.h"
#include "core/video/mosaic_source.h"
#include "core/video/source.h"
#include "tests/support/eventually.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

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

// Skips the test where GStreamer or an element that it needs is not installed, or the build has none of it.
#define TH_NEED_GSTREAMER()                                                           \
    try {                                                                             \
        static_cast<void>(open_source("gst:videotestsrc num-buffers=1 ! identity"));  \
    } catch (const Error& failure) {                                                  \
        if (failure.kind() == ErrorKind::unavailable) GTEST_SKIP() << failure.what(); \
        FAIL() << failure.what();                                                     \
    }

// A connection that breaks, as its caller says.
class BreakingInput : public LiveInput {
public:
    explicit BreakingInput(std::function<void()> fail) : fail_(std::move(fail)) {}
    MediaStatus next(MediaFrame&, const std::stop_token&) override {
        fail_();
        return MediaStatus::broken;
    }
    [[nodiscard]] Message read_error() const override { return "the line is cut"; }
    [[nodiscard]] double waited_seconds() const override { return 0; }
    [[nodiscard]] int width() const override { return 64; }
    [[nodiscard]] int height() const override { return 48; }
    [[nodiscard]] std::string details(int, int) const override { return {}; }
    [[nodiscard]] double fps() const override { return 25; }
    [[nodiscard]] double tick() const override { return 1e-3; }
    [[nodiscard]] double step() const override { return 0.04; }

private:
    std::function<void()> fail_;
};

// Returns the error that ends a camera whose connection breaks and cannot be opened again, with one attempt.
Error end_of_camera(const std::function<void()>& fail, const OpenLiveInput& open) {
    MediaRequest request;
    request.shown = "camera";
    request.source.reconnects = 1;
    const auto camera = make_live_source(request, std::make_unique<BreakingInput>(fail), open);
    try {
        Frame frame;
        while (camera->read(frame, {}) == ReadStatus::timeout) {
        }
    } catch (const Error& failure) {
        return failure;
    }
    return Error(ErrorKind::usage, "no error");
}

TEST(LiveSource, AThreadThatCannotBeStartedIsAFailedAttempt) {
    int attempts = 0;
    const OpenLiveInput open = [&](const MediaRequest&, const std::stop_token&) -> std::unique_ptr<LiveInput> {
        ++attempts;
        throw std::system_error(EAGAIN, std::generic_category());
    };
    const Error failure = end_of_camera([] {}, open);
    EXPECT_EQ(attempts, 1);
    EXPECT_EQ(failure.kind(), ErrorKind::input) << failure.what();
    EXPECT_EQ(failure.problem(), "cannot start a thread; reconnecting failed");
    EXPECT_EQ(failure.where(), "camera");
}

// A decoder that is replaced needs threads and memory.
TEST(LiveSource, AShortageWhileItPlaysIsABrokenConnection) {
    const std::pair<std::function<void()>, std::string> shortages[] = {
        {[] { throw std::system_error(EAGAIN, std::generic_category()); }, "cannot start a thread"},
        {[] { throw std::bad_alloc(); }, "out of memory"}};
    for (const auto& [fail, text] : shortages) {
        int attempts = 0;
        const Error failure = end_of_camera(fail, [&, fail = fail](const MediaRequest&, const std::stop_token&) {
            ++attempts;
            return std::make_unique<BreakingInput>(fail);
        });
        EXPECT_EQ(attempts, 1);
        EXPECT_EQ(failure.kind(), ErrorKind::input) << failure.what();
        EXPECT_EQ(failure.problem(), text + "; reconnecting failed");
        EXPECT_EQ(failure.where(), "camera");
    }
}

TEST(LiveSource, AnErrorThatDoesNotPassEndsIt) {
    const Error failure = end_of_camera([] { throw Error(ErrorKind::unavailable, "no decoder"); }, {});
    EXPECT_EQ(failure.kind(), ErrorKind::unavailable);
    EXPECT_EQ(failure.problem(), "no decoder");
    const OpenLiveInput defect = [](const MediaRequest&, const std::stop_token&) -> std::unique_ptr<LiveInput> {
        throw std::length_error("too long");
    };
    for (const Error& error :
         {end_of_camera([] { throw std::length_error("too long"); }, {}), end_of_camera([] {}, defect)}) {
        EXPECT_EQ(error.kind(), ErrorKind::internal);
        EXPECT_EQ(error.message(), "camera: too long");
    }
}

// Delivers as many frames as it is allowed to.
class AllowedInput final : public BreakingInput {
public:
    AllowedInput(const std::atomic<int>& allowed, std::atomic<int>& delivered)
        : BreakingInput([] {}), allowed_(allowed), delivered_(delivered) {}
    MediaStatus next(MediaFrame& frame, const std::stop_token& stop) override {
        delivered_ = num_frames_;
        while (num_frames_ >= allowed_) {
            if (!sleep_for(std::chrono::milliseconds(1), stop)) return MediaStatus::stopped;
        }
        ++num_frames_;
        frame.av_frame = av::make_frame();
        frame.av_frame->format = AV_PIX_FMT_YUV420P;
        frame.av_frame->width = width();
        frame.av_frame->height = height();
        return av_frame_get_buffer(frame.av_frame.get(), 0) < 0 ? MediaStatus::broken : MediaStatus::read;
    }

private:
    const std::atomic<int>& allowed_;
    std::atomic<int>& delivered_;  // before this call
    int num_frames_ = 0;
};

TEST(LiveSource, FramesBeforeTheFirstReadAreNotMissed) {
    std::atomic<int> allowed = 20;
    std::atomic<int> delivered = 0;
    MediaRequest request;
    request.shown = "camera";
    const auto camera = make_live_source(request, std::make_unique<AllowedInput>(allowed, delivered), {});
    Frame frame;
    ASSERT_TRUE(test::eventually([&] { return delivered == 20; }));
    EXPECT_EQ(camera->replaced(), 0U);
    ASSERT_EQ(camera->read(frame, {}), ReadStatus::frame);
    EXPECT_EQ(frame.info().index, 19);
    EXPECT_EQ(camera->replaced(), 0U);
    allowed = 30;
    ASSERT_TRUE(test::eventually([&] { return delivered == 30; }));
    ASSERT_EQ(camera->read(frame, {}), ReadStatus::frame);
    EXPECT_EQ(frame.info().index, 29);
    EXPECT_EQ(camera->replaced(), 9U);
}

struct PipelineOutcome {
    std::vector<Frame> frames;
    SourceInfo info;  // at the end
    std::string error;
    ErrorKind kind = ErrorKind::internal;
};

// Reads a pipeline to its end or its error.
PipelineOutcome outcome_of_pipeline(const std::string& pipeline, const SourceOptions& options = {}) {
    PipelineOutcome outcome;
    try {
        const auto source = open_source("gst:" + pipeline, options);
        Frame frame;
        for (ReadStatus status = ReadStatus::frame; status != ReadStatus::end;) {
            status = source->read(frame, {});
            if (status == ReadStatus::frame || status == ReadStatus::format_changed) outcome.frames.push_back(frame);
        }
        outcome.info = source->info();
    } catch (const Error& error) {
        outcome.error = error.what();
        outcome.kind = error.kind();
    }
    return outcome;
}

TEST(Csi, ASpecThatIsMalformedIsRejected) {
    for (const char* wrong :
         {"csi:", "csi:x", "csi:-1", "csi:64", "csi:0,size=640", "csi:0,size=0x480", "csi:0,size=640x", "csi:0,fps=0",
          "csi:0,fps=29.97", "csi:0,fps=30,fps=60", "csi:0,gain=2", "csi:0,size=640x480 ! filesink location=x"}) {
        EXPECT_EQ(kind_of_failure(wrong), ErrorKind::usage) << wrong;
    }
    EXPECT_EQ(
        csi_pipeline("csi:1", false),
        "nvarguscamerasrc sensor-id=1 ! video/x-raw(memory:NVMM),format=NV12,width=1920,height=1080,framerate=30/1 "
        "! nvvidconv ! video/x-raw,format=NV12 ! appsink max-buffers=2 sync=false enable-last-sample=false");
}

TEST(Csi, ThePipelineDeliversFramesWhereItsElementsExist) {
    TH_NEED_GSTREAMER();
    EXPECT_EQ(kind_of_failure("csi:0"), ErrorKind::unavailable);
    // A test image and a converter in place of the elements that only a board has.
    std::string pipeline = csi_pipeline("csi:2,fps=60,size=320x240", false);
    for (const auto& [of_board, here] : {std::pair{"nvarguscamerasrc sensor-id=2", "videotestsrc num-buffers=2"},
                                         std::pair{"(memory:NVMM)", ""}, std::pair{"nvvidconv", "videoconvert"}}) {
        const std::size_t at = pipeline.find(of_board);
        ASSERT_NE(at, std::string::npos) << of_board;
        pipeline.replace(at, std::strlen(of_board), here);
    }
    const PipelineOutcome read = outcome_of_pipeline(pipeline);
    ASSERT_EQ(read.frames.size(), 2U) << read.error;
    EXPECT_EQ(read.frames[0].width(), 320);
    EXPECT_EQ(read.info.height, 240);
    EXPECT_EQ(read.info.fps, 60);
    EXPECT_EQ(read.frames[0].info().format, PixelFormat::nv12);
}

TEST(Gstreamer, EveryFrameOfAPipelineThatIsNotLiveIsRead) {
    TH_NEED_GSTREAMER();
    const PipelineOutcome read =
        outcome_of_pipeline("videotestsrc num-buffers=20 ! video/x-raw,width=64,height=48,framerate=25/1");
    EXPECT_EQ(read.error, "");
    ASSERT_EQ(read.frames.size(), 20U);
    for (std::size_t i = 0; i < read.frames.size(); ++i) {
        EXPECT_EQ(read.frames[i].info().index, static_cast<std::int64_t>(i));
        EXPECT_NEAR(read.frames[i].info().pts, static_cast<double>(i) / 25, 1e-6);
        EXPECT_EQ(read.frames[i].width(), 64);
    }
    EXPECT_FALSE(read.info.live);
    EXPECT_EQ(read.info.fps, 25);
}

TEST(Gstreamer, ALivePipelineIsOpenedAgainAfterItsEnd) {
    TH_NEED_GSTREAMER();
    SourceOptions options;
    options.reconnects = 1;
    const PipelineOutcome read = outcome_of_pipeline(
        "videotestsrc is-live=true num-buffers=2 ! video/x-raw,width=64,height=48,framerate=25/1", options);
    EXPECT_GE(read.frames.size(), 2U);  // at least one of each connection: the newest frame replaces others
    EXPECT_NE(read.error.find("reconnecting failed"), std::string::npos) << read.error;
}

TEST(Gstreamer, AClockThatStepsBackContinues) {
    TH_NEED_GSTREAMER();
    const std::string part =
        " videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=64,height=48,framerate=10/1 ! join.";
    // This element begins again at 0 with each of its inputs.
    const PipelineOutcome file = outcome_of_pipeline("concat name=join ! appsink sync=false" + part + part);
    EXPECT_EQ(file.error, "");
    ASSERT_EQ(file.frames.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(file.frames[i].info().pts, static_cast<double>(i) / 10, 1e-6);
}

// The times 0 3 1 2 6 4 5, and then a jump back: by more than frames are reordered, or with a new segment.
TEST(Gstreamer, FramesOutOfOrderDoNotShiftThoseThatFollow) {
    TH_NEED_GSTREAMER();
    TH_NEED_FFMPEG();
    struct Case {
        const char* times;  // of the Nth frame, in tenths of a second
        std::vector<double> expected;
    };
    const test::ScratchDir scratch;
    const std::string path = (scratch.path() / "reordered.mkv").string();
    for (const auto& [times, expected] :
         {Case{R"(if(gt(N\,6)\,if(eq(N\,7)\,40\,N+2)\,N+if(N\,if(eq(mod(N\,3)\,1)\,2\,-1))))",
               {0, 0.3, 0.3, 0.3, 0.6, 0.6, 0.6, 4, 4.1, 4.2}},
          // The demuxer begins a segment where the time is before that of the first frame.
          Case{R"(N+if(gt(N\,6)\,0\,40+if(N\,if(eq(mod(N\,3)\,1)\,2\,-1))))",
               {0, 0.3, 0.3, 0.3, 0.6, 0.6, 0.6, 0.7, 0.8, 0.9}}}) {
        test::ffmpeg(
            "-f lavfi -i testsrc=size=64x48:rate=10 -t 1 -pix_fmt yuv420p -c:v rawvideo -allow_raw_vfw 1 "
            "-bsf:v 'setts=pts=100*(" +
                std::string(times) + ")'",
            path);
        const PipelineOutcome read =
            outcome_of_pipeline("filesrc location=" + path + " ! matroskademux ! appsink sync=false");
        if (read.error.find("no element") != std::string::npos) GTEST_SKIP() << "skipped: " << read.error;
        EXPECT_EQ(read.error, "");
        ASSERT_EQ(read.frames.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(read.frames[i].info().pts, expected[i], 2e-3) << i;
    }
}

TEST(Gstreamer, APipelineThatFailsIsNoRegularEnd) {
    TH_NEED_GSTREAMER();
    const std::string source = "videotestsrc ! video/x-raw,width=64,height=48 ";
    for (const char* end : {"! identity error-after=5", "! identity error-after=5 ! queue",
                            "! identity error-after=5 ! videoconvert ! video/x-raw,format=BGR ! appsink sync=false"}) {
        const PipelineOutcome dead = outcome_of_pipeline(source + end);
        EXPECT_NE(dead.error.find("Failed after iterations"), std::string::npos) << end << dead.error;
        EXPECT_LE(dead.frames.size(), 5U) << end;
    }
    // The error of another pipeline at the same time.
    const auto other = open_source("gst:" + source);
    Frame frame;
    EXPECT_NE(outcome_of_pipeline(source + "! identity error-after=3").error, "");
    for (int i = 0; i < 5; ++i) EXPECT_NE(other->read(frame, {}), ReadStatus::end);
}

// White is 235 in each format with luma, in gray too. Rows of odd widths are padded.
TEST(Gstreamer, FormatsAreReadWithTheirRows) {
    TH_NEED_GSTREAMER();
    const auto frame_in = [](const std::string& format, const std::string& size) {
        const PipelineOutcome read =
            outcome_of_pipeline("videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=" + format + "," + size +
                                " ! appsink sync=false");
        EXPECT_EQ(read.error, "") << format;
        return read.frames.empty() ? Frame() : read.frames.front();
    };
    for (const char* size : {"width=64,height=48", "width=65,height=47"}) {
        for (const char* format : {"NV12", "I420", "GRAY8", "YUY2", "UYVY", "Y42B", "Y444", "P010_10LE"}) {
            const Frame frame = frame_in(format, size);
            ASSERT_TRUE(frame) << format;
            ASSERT_TRUE(frame.has_luma()) << format;
            const PlaneView& luma = frame.plane(0);
            for (const int x : {0, frame.width() - 1}) {
                EXPECT_NEAR(luma.data[(frame.height() - 1) * luma.pitch + x], 235, 1) << format << size;
            }
        }
        for (const char* format : {"BGR", "RGB", "BGRx", "RGBx", "xRGB", "xBGR"}) {
            const Frame frame = frame_in(format, size);
            ASSERT_TRUE(frame) << format;
            EXPECT_EQ(frame.info().format, PixelFormat::bgr24) << format;
            const PlaneView& pixels = frame.plane(0);
            EXPECT_EQ(pixels.data[(frame.height() - 1) * pixels.pitch + 3 * frame.width() - 1], 255) << format << size;
        }
    }
}

TEST(Gstreamer, FramesOutliveTheirPipelineAndAreNotCopied) {
    TH_NEED_GSTREAMER();
    const std::uint64_t before = host_copied_bytes();
    const PipelineOutcome read = outcome_of_pipeline(
        "videotestsrc num-buffers=3 pattern=black ! video/x-raw,format=NV12,width=64,height=48 ! appsink sync=false");
    ASSERT_EQ(read.frames.size(), 3U) << read.error;
    EXPECT_EQ(host_copied_bytes(), before);
    for (const Frame& frame : read.frames) EXPECT_EQ(frame.plane(0).data[0], 16);
}

TEST(Gstreamer, WhatCannotBeReadIsRejectedWithItsReason) {
    TH_NEED_GSTREAMER();
    struct Case {
        const char* pipeline;
        ErrorKind kind;
        const char* message;
    };
    for (const Case& wrong :
         {Case{"nosuchelement location=rtsp://alice:wonder-land@host/x", ErrorKind::usage, "nosuchelement"},
          Case{"videotestsrc ! ! appsink", ErrorKind::usage, "not valid"},
          Case{"videotestsrc ! appsink videotestsrc ! appsink", ErrorKind::usage, "several appsinks"},
          Case{"videotestsrc ! fakesink name=appsink", ErrorKind::usage, "no appsink"},
          Case{"filesrc location=/nonexistent ! decodebin ! videoconvert ! appsink", ErrorKind::input, "nonexistent"},
          Case{"videotestsrc num-buffers=1 ! video/x-raw,format=ARGB64 ! appsink", ErrorKind::input, ""},
          Case{"audiotestsrc num-buffers=1 ! appsink caps=audio/x-raw", ErrorKind::input, "audio/x-raw"}}) {
        const PipelineOutcome read = outcome_of_pipeline(wrong.pipeline);
        EXPECT_TRUE(read.frames.empty()) << wrong.pipeline;
        EXPECT_EQ(read.kind, wrong.kind) << wrong.pipeline << read.error;
        EXPECT_NE(read.error.find(wrong.message), std::string::npos) << wrong.pipeline << read.error;
        EXPECT_EQ(read.error.find("wonder-land"), std::string::npos) << read.error;
    }
}

TEST(Gstreamer, APipelineThatNeverDeliversIsRejectedInTime) {
    TH_NEED_GSTREAMER();
    SourceOptions options;
    options.open_timeout = 0.2;
    const PipelineOutcome read = outcome_of_pipeline("appsrc ! videoconvert ! appsink", options);
    EXPECT_NE(read.error.find("did not start in time"), std::string::npos) << read.error;
    EXPECT_EQ(outcome_of_pipeline("videotestsrc num-buffers=0").frames.size(), 0U);
}

TEST(Gstreamer, AChangeOfTheSizeIsReported) {
    TH_NEED_GSTREAMER();
    const auto source = open_source(
        "gst:videotestsrc num-buffers=2 ! video/x-raw,width=64,height=48 ! concat name=c ! videoconvert ! appsink "
        "sync=false videotestsrc num-buffers=2 ! video/x-raw,width=32,height=16 ! c.");
    Frame frame;
    std::vector<ReadStatus> statuses;
    do statuses.push_back(source->read(frame, {}));
    while (statuses.back() != ReadStatus::end);
    EXPECT_EQ(statuses, (std::vector{ReadStatus::frame, ReadStatus::frame, ReadStatus::format_changed,
                                     ReadStatus::frame, ReadStatus::end}));
}

}  // namespace
}  // namespace throng
