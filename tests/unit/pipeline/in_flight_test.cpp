// Several frames in flight, also during a failure of the device that processes them.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::count_to;
using test::eventually;
using test::FakeBackend;
using test::FakeSource;
using test::Trial;

FakeSource::Plan device_frames(std::int64_t n) {
    FakeSource::Plan plan;
    plan.frames = n;
    plan.device = true;
    return plan;
}

FakeBackend::Plan device_backend() {
    FakeBackend::Plan plan;
    plan.name = "device";
    plan.in_flight = 2;
    return plan;
}

PipelineOptions with_fallback() {
    PipelineOptions options;
    options.fallback = [] {
        FakeBackend::Plan plan;
        plan.name = "host";
        plan.reads_device = false;
        return std::make_shared<FakeBackend>(plan);
    };
    return options;
}

// As the window plays a file.
PipelineOptions real_time_with_fallback() {
    PipelineOptions options = with_fallback();
    options.real_time = true;
    return options;
}

TEST(InFlight, AsManyFramesAsTheBackendAllows) {
    FakeBackend::Plan backend = device_backend();
    backend.detect_time = std::chrono::milliseconds(1);  // so that the next frame arrives in time
    Trial trial(device_frames(60), backend);
    trial.run();
    EXPECT_EQ(trial.sink->frames(), count_to(60));
    EXPECT_EQ(*backend.max_running, 2);
    EXPECT_EQ(*backend.running, 0);
}

TEST(InFlight, AResultDoesNotWaitForTheNextFrame) {
    FakeSource::Plan source = device_frames(2);
    source.waits_at = 1;
    FakeBackend::Plan backend = device_backend();
    Trial trial(source, backend);
    trial.pipeline->start();
    ASSERT_TRUE(eventually([&] { return !trial.sink->frames().empty(); }));
    EXPECT_EQ(trial.sink->frames().size(), 1U);
    EXPECT_EQ(*backend.running, 0);
    trial.pipeline->stop();
}

TEST(InFlight, ExactlyTheRequestedFrames) {
    for (const std::int64_t expected : {1, 2, 3, 7}) {
        PipelineOptions options;
        options.max_frames = expected;
        Trial trial(device_frames(100), device_backend(), options);
        trial.run();
        EXPECT_EQ(trial.sink->frames(), count_to(expected));
    }
}

TEST(InFlight, OverflowedFramesRunAgainWithANextFrameInFlight) {
    FakeBackend::Plan backend = device_backend();
    backend.detect_time = std::chrono::milliseconds(1);
    backend.boxes = [](std::int64_t frame) { return frame % 5 == 3 ? 100U + static_cast<std::uint32_t>(frame) : 5U; };
    PipelineSettings settings;
    settings.capacity = 50;
    Trial trial(device_frames(40), backend, {}, settings);
    trial.run();
    ASSERT_EQ(trial.sink->kept().size(), 40U);
    for (std::int64_t frame = 0; frame < 40; ++frame) {
        EXPECT_EQ(trial.sink->kept()[static_cast<std::size_t>(frame)], backend.boxes(frame)) << "frame " << frame;
    }
    EXPECT_EQ(trial.sink->overflows(), std::vector<std::uint32_t>(40, 0));
}

// Applies to live sources, too: no count reports the detections that would be missing.
TEST(InFlight, FramesWithoutMemoryForTheirCandidatesRunAgain) {
    for (const bool live : {false, true}) {
        FakeSource::Plan source = device_frames(40);
        source.live = live;
        source.read_time = std::chrono::milliseconds(live ? 1 : 0);
        FakeBackend::Plan backend = device_backend();
        backend.boxes = [](std::int64_t frame) { return 2 + static_cast<std::uint32_t>(frame); };
        backend.candidates = [](std::int64_t frame) { return static_cast<std::uint32_t>(frame / 10 * 90 + frame % 2); };
        Trial trial(source, backend);
        trial.run();
        const std::vector<std::int64_t> frames = trial.sink->frames();
        EXPECT_TRUE(live || frames.size() == 40);
        ASSERT_FALSE(frames.empty());
        for (std::size_t i = 0; i < frames.size(); ++i) {
            EXPECT_EQ(trial.sink->kept()[i], backend.boxes(frames[i])) << "frame " << frames[i];
        }
        EXPECT_EQ(trial.pipeline->counters().overflowed, 0U);
    }
}

// Else a live source would lose detections although the frame ran twice.
TEST(InFlight, AFrameThatRunsAgainHasRoomForItsDetections) {
    FakeSource::Plan source = device_frames(5);
    source.live = true;
    source.read_time = std::chrono::milliseconds(1);
    FakeBackend::Plan backend;
    backend.boxes = [](std::int64_t) { return 100U; };
    backend.candidates = [](std::int64_t) { return 200U; };
    PipelineSettings settings;
    settings.capacity = 10;
    Trial trial(source, backend, {}, settings);
    trial.run();
    ASSERT_FALSE(trial.sink->kept().empty());
    EXPECT_EQ(trial.sink->kept().front(), 100U);
    EXPECT_EQ(trial.sink->overflows().front(), 0U);
}

TEST(InFlight, SettingsChangeBetweenFramesWithoutDrops) {
    FakeBackend::Plan backend = device_backend();
    backend.detect_time = std::chrono::milliseconds(1);
    Trial trial(device_frames(200), backend);
    trial.pipeline->start();
    for (int i = 0; i < 20; ++i) {
        PipelineSettings settings = trial.pipeline->settings();
        settings.capacity = 100 + i;
        settings.nms.theta = 0.01F * static_cast<float>(i);
        trial.pipeline->update(settings);
        const auto detected = static_cast<std::uint64_t>(5 * (i + 1));
        ASSERT_TRUE(test::eventually([&] { return trial.pipeline->counters().detected >= detected; }));
    }
    trial.pipeline->wait();
    EXPECT_EQ(trial.sink->frames(), count_to(200));
}

// Regardless of where the device fails, every frame of a file has one result, in order.
TEST(LostDevice, NoFrameOfAFileIsDroppedOrDeliveredTwice) {
    for (const std::int64_t at : {0, 1, 2, 13, 38, 39}) {
        for (const bool late : {false, true}) {
            FakeBackend::Plan backend = device_backend();
            (late ? backend.fails_late_at : backend.fails_at) = at;
            Trial trial(device_frames(40), backend, with_fallback());
            trial.run();
            EXPECT_EQ(trial.pipeline->state(), PipelineState::ended) << trial.pipeline->notice();
            EXPECT_EQ(trial.sink->frames(), count_to(40)) << "frame " << at << (late ? " late" : "");
            EXPECT_EQ(trial.pipeline->backend_name(), "host");
            EXPECT_NE(trial.pipeline->notice().text().find("device"), std::string::npos);
            EXPECT_EQ(trial.pipeline->counters().dropped, 0U);
        }
    }
}

TEST(LostDevice, FramesInHostMemoryRunAgain) {
    FakeSource::Plan source = device_frames(40);
    source.device = false;
    source.resumes = false;
    FakeBackend::Plan backend = device_backend();
    backend.fails_late_at = 20;
    backend.detect_time = std::chrono::milliseconds(1);
    Trial trial(source, backend, with_fallback());
    trial.run();
    EXPECT_EQ(trial.sink->frames(), count_to(40));
}

TEST(LostDevice, ASourceThatCannotResumeReportsDroppedFrames) {
    FakeSource::Plan source = device_frames(40);
    source.resumes = false;
    FakeBackend::Plan backend = device_backend();
    backend.fails_late_at = 20;
    Trial trial(source, backend, with_fallback());
    trial.run();
    const std::uint64_t dropped = trial.pipeline->counters().dropped;
    EXPECT_GE(dropped, 1U);
    const std::string expected = std::to_string(dropped) + (dropped == 1 ? " frame dropped" : " frames dropped");
    EXPECT_NE(trial.pipeline->notice().text().find(expected), std::string::npos) << trial.pipeline->notice();
}

TEST(LostDevice, WithoutAFallbackTheRunFails) {
    FakeBackend::Plan backend = device_backend();
    backend.fails_late_at = 5;
    Trial trial(device_frames(40), backend);
    trial.run();
    EXPECT_EQ(trial.pipeline->state(), PipelineState::failed);
    EXPECT_EQ(trial.sink->frames(), count_to(5));
    EXPECT_EQ(trial.sink->closed(), 1);
}

TEST(LostDevice, ADecoderThatEndsWithItsDeviceDoesNotEndTheFile) {
    FakeSource::Plan source = device_frames(40);
    source.device_ends_at = 11;
    FakeBackend::Plan backend = device_backend();
    backend.device_failed = true;
    Trial trial(source, backend, with_fallback());
    trial.run();
    EXPECT_EQ(trial.sink->frames(), count_to(40));
    EXPECT_EQ(trial.pipeline->backend_name(), "host");
}

// The frames are in host memory, so the source need not resume and does not end a second time.
TEST(LostDevice, ADeviceThatFailsAtTheEndDoesNotHoldTheFile) {
    for (int i = 0; i < 20; ++i) {
        FakeSource::Plan source;
        source.frames = 5;
        FakeBackend::Plan backend = device_backend();
        backend.device_failed = true;
        Trial trial(source, backend, with_fallback());
        trial.run();
        EXPECT_EQ(trial.sink->frames(), count_to(5));
    }
}

TEST(LostDevice, StopsDuringTheFallback) {
    for (int i = 0; i < 20; ++i) {
        FakeBackend::Plan backend = device_backend();
        backend.fails_late_at = 3;
        Trial trial(device_frames(std::numeric_limits<std::int64_t>::max()), backend, with_fallback());
        trial.pipeline->start();
        ASSERT_TRUE(eventually([&] { return trial.sink->frames().size() >= 2; }));
        trial.pipeline->stop();
        const auto frames = trial.sink->frames();
        EXPECT_EQ(frames, count_to(static_cast<std::int64_t>(frames.size())));
    }
}

TEST(LostDevice, APausedPipelineContinues) {
    FakeBackend::Plan backend = device_backend();
    backend.fails_at = 3;
    Trial trial(device_frames(10000), backend, real_time_with_fallback());
    trial.pipeline->start();
    ASSERT_TRUE(eventually([&] { return trial.pipeline->backend_name() == "host"; }));
    trial.pipeline->pause(true);
    trial.pipeline->seek(50);
    ASSERT_TRUE(eventually([&] {
        const auto latest = trial.pipeline->latest();
        return latest && latest->frame.info().index == 5000;
    }));
}

// The device fails between a seek of the source and its first result.
TEST(LostDevice, ASeekDuringTheFallbackIsNotLost) {
    for (const bool paused : {false, true}) {
        const FakeSource::Plan source = device_frames(10000);
        PipelineOptions options = real_time_with_fallback();
        Pipeline* pipeline = nullptr;
        options.fallback = [&pipeline, &source, paused, host = options.fallback] {
            pipeline->pause(paused);
            pipeline->seek(50);
            EXPECT_TRUE(eventually([&] { return *source.seeks == 1; }));
            return host();
        };
        FakeBackend::Plan backend = device_backend();
        backend.fails_at = 3;
        Trial trial(source, backend, options);
        pipeline = trial.pipeline.get();
        trial.pipeline->start();
        const auto frame_after_failure = [&] {
            for (const std::int64_t frame : trial.sink->frames()) {
                if (frame >= backend.fails_at) return frame;
            }
            return std::int64_t{-1};
        };
        ASSERT_TRUE(eventually([&] { return frame_after_failure() >= 0; }));
        trial.pipeline->stop();
        EXPECT_GE(frame_after_failure(), 5000);  // a file that plays may drop frames
        EXPECT_TRUE(!paused || frame_after_failure() == 5000);
    }
}

TEST(LostDevice, AStepWhilePausedShowsItsFrame) {
    FakeBackend::Plan backend = device_backend();
    backend.fails_at = 2;
    Trial trial(device_frames(10), backend, real_time_with_fallback());
    trial.pipeline->pause(true);
    trial.pipeline->start();
    for (const std::int64_t shown : {1, 2, 3}) {
        trial.pipeline->step();
        ASSERT_TRUE(eventually([&] { return trial.sink->frames() == count_to(shown); })) << "step " << shown;
    }
    EXPECT_EQ(trial.pipeline->backend_name(), "host");
    EXPECT_EQ(trial.pipeline->state(), PipelineState::paused);
}

TEST(LostDevice, ASeekWithAResultIsNotRepeated) {
    FakeBackend::Plan backend = device_backend();
    backend.fails_at = 5006;
    Trial trial(device_frames(5010), backend, with_fallback());
    trial.pipeline->seek(50);
    trial.run();
    std::vector<std::int64_t> expected = count_to(5010);
    expected.erase(expected.begin(), expected.begin() + 5000);
    EXPECT_EQ(trial.sink->frames(), expected);
}

TEST(Switches, DescribeTheDetectorInUseAndFollowTheSettings) {
    FakeBackend::Plan backend = device_backend();
    backend.switches = {{"tail", "A warp a window", "", {"on", "off"}, "on"}};
    Trial trial(device_frames(std::numeric_limits<std::int64_t>::max()), backend);
    EXPECT_TRUE(trial.pipeline->switches().empty());
    trial.pipeline->start();
    ASSERT_TRUE(eventually([&] { return trial.pipeline->switches().size() == 1; }));
    PipelineSettings settings = trial.pipeline->settings();
    settings.detector.switches["tail"] = "off";
    trial.pipeline->update(settings);
    EXPECT_TRUE(eventually([&] { return trial.pipeline->switches().front().chosen == "off"; }));
    settings.detector.switches["tale"] = "off";
    trial.pipeline->update(settings);
    EXPECT_TRUE(eventually([&] { return !trial.pipeline->notice().empty(); }));
    EXPECT_EQ(trial.pipeline->settings().detector.switches.count("tale"), 0U);
    EXPECT_EQ(trial.pipeline->switches().front().chosen, "off");
}

TEST(Switches, AnUnknownSwitchFailsTheRunAtTheStart) {
    PipelineSettings settings;
    settings.detector.switches["tale"] = "off";
    Trial trial(device_frames(3), device_backend(), {}, settings);
    trial.run();
    ASSERT_TRUE(trial.pipeline->failure().has_value());
    EXPECT_EQ(trial.pipeline->failure()->kind(), ErrorKind::usage);
}

TEST(Switches, AreClearedByTheFallback) {
    FakeBackend::Plan backend = device_backend();
    backend.switches = {{"tail", "A warp a window", "", {"on", "off"}, "on"}};
    backend.fails_at = 2;
    PipelineSettings settings;
    settings.detector.switches["tail"] = "off";
    Trial trial(device_frames(20), backend, with_fallback(), settings);
    trial.run();
    EXPECT_EQ(trial.sink->frames(), count_to(20));
    EXPECT_TRUE(trial.pipeline->switches().empty());
}

}  // namespace
}  // namespace throng
