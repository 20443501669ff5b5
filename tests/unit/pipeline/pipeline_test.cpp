#include "core/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::count_to;
using test::eventually;
using test::FakeBackend;
using test::FakeSource;
using test::RecordingSink;
using test::Trial;

FakeSource::Plan frames(std::int64_t n) {
    FakeSource::Plan plan;
    plan.frames = n;
    return plan;
}

TEST(Pipeline, AFileDeliversEveryFrameInOrderWithASlowDetector) {
    FakeBackend::Plan slow;
    slow.detect_time = std::chrono::milliseconds(1);
    Trial run(frames(100), slow);
    EXPECT_EQ(run.pipeline->state(), PipelineState::idle);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_EQ(run.sink->frames(), count_to(100));
    EXPECT_EQ(run.sink->closed(), 1);
    const PipelineCounters counters = run.pipeline->counters();
    EXPECT_EQ(counters.decoded, 100U);
    EXPECT_EQ(counters.detected, 100U);
    EXPECT_EQ(counters.dropped, 0U);
    ASSERT_NE(run.pipeline->latest(), nullptr);
    EXPECT_EQ(run.pipeline->latest()->frame.info().index, 99);
}

TEST(Pipeline, AnEmptySourceEndsWithoutAResult) {
    Trial run(frames(0));
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_EQ(run.pipeline->latest(), nullptr);
    EXPECT_EQ(run.sink->closed(), 1);
}

TEST(Pipeline, IncompleteIsFinalAtTheEnd) {
    FakeSource::Plan cut = frames(3);
    cut.incomplete = "the file ends early";
    Trial run(cut);
    EXPECT_EQ(run.pipeline->incomplete(), "");
    run.run();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_EQ(run.sink->frames(), count_to(3));
    EXPECT_EQ(run.pipeline->incomplete(), "the file ends early");
    Trial whole(frames(3));
    whole.run();
    EXPECT_EQ(whole.pipeline->incomplete(), "");
}

TEST(Pipeline, ALiveSourceKeepsTheNewestFrameAndCountsDrops) {
    FakeSource::Plan camera = frames(60);
    camera.live = true;
    camera.read_time = std::chrono::milliseconds(1);
    FakeBackend::Plan slow;
    slow.detect_time = std::chrono::milliseconds(10);
    Trial run(camera, slow);
    run.pipeline->start();
    run.pipeline->wait();
    const PipelineCounters counters = run.pipeline->counters();
    EXPECT_EQ(counters.decoded, 60U);
    EXPECT_GT(counters.dropped, 0U);
    EXPECT_EQ(counters.detected + counters.dropped, counters.decoded);
    const auto shown = run.sink->frames();
    EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
    EXPECT_EQ(shown.back(), 59);
}

TEST(Pipeline, StopsAfterTheRequestedFrames) {
    PipelineOptions options;
    options.max_frames = 7;
    Trial run(frames(1000), {}, options);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.sink->frames(), count_to(7));
    EXPECT_EQ(run.pipeline->counters().decoded, 7U);
}

TEST(Pipeline, StopEndsAnEndlessRunAndClosesTheSinks) {
    Trial run(frames(std::numeric_limits<std::int64_t>::max()));
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return run.pipeline->counters().detected > 10; }));
    run.pipeline->stop();
    run.pipeline->stop();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_EQ(run.sink->closed(), 1);
    const auto seen = run.sink->frames();
    EXPECT_EQ(seen, count_to(static_cast<std::int64_t>(seen.size())));
}

TEST(Pipeline, StopOfAPipelineThatNeverStartedClosesTheSinks) {
    Trial run(frames(3));
    run.pipeline->stop();
    EXPECT_EQ(run.sink->closed(), 1);
    run.pipeline->start();  // has no effect after stop
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
}

TEST(Pipeline, AFailingSourceKeepsThePreviousResults) {
    FakeSource::Plan broken = frames(20);
    broken.breaks_at = 12;
    Trial run(broken);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::failed);
    ASSERT_TRUE(run.pipeline->failure());
    EXPECT_EQ(run.pipeline->failure()->kind(), ErrorKind::input);
    EXPECT_EQ(run.sink->frames(), count_to(12));
    EXPECT_EQ(run.sink->closed(), 1);
}

TEST(Pipeline, AFailedRunReadsItsCameraNoMore) {
    FakeSource::Plan camera = frames(std::numeric_limits<std::int64_t>::max());
    camera.live = true;
    camera.read_time = std::chrono::milliseconds(1);
    FakeBackend::Plan plan;
    plan.fails_at = 0;
    Trial run(camera, plan);
    run.run();
    ASSERT_EQ(run.pipeline->state(), PipelineState::failed);
    const int reads = *camera.reads;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_LE(*camera.reads, reads + 1) << "it may end a read";
}

TEST(Pipeline, ASinkThatThrowsEndsTheRunAndTheOthersAreClosed) {
    Trial run(frames(20));
    const auto full_disk = std::make_shared<RecordingSink>(5);
    run.pipeline->add_sink(full_disk);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::failed);
    EXPECT_EQ(run.pipeline->failure()->where(), "sink");
    EXPECT_EQ(run.sink->frames(), count_to(6));
    EXPECT_EQ(full_disk->frames(), count_to(5));
    EXPECT_EQ(run.sink->closed(), 1);
    EXPECT_EQ(full_disk->closed(), 1);
}

TEST(Pipeline, AMissingModelAtTheStartFailsTheRun) {
    FakeBackend::Plan plan;
    plan.missing_model = "nowhere.xml";
    PipelineSettings settings;
    settings.detector.model = "nowhere.xml";
    Trial run(frames(1000), plan, {}, settings);
    run.pipeline->start();
    EXPECT_FALSE(run.pipeline->wait_ready());
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::failed);
    EXPECT_EQ(run.pipeline->failure()->kind(), ErrorKind::unavailable);
    EXPECT_TRUE(run.sink->frames().empty());
}

TEST(Pipeline, IsReadyBeforeTheFirstFrame) {
    FakeSource::Plan silent = frames(3);
    silent.waits_at = 0;
    Trial run(silent);
    run.pipeline->start();
    EXPECT_TRUE(run.pipeline->wait_ready());
    EXPECT_EQ(run.pipeline->state(), PipelineState::running);
    EXPECT_EQ(run.pipeline->counters().decoded, 0U);
}

TEST(Pipeline, AMissingModelIsANoticeAndThePreviousDetectorContinues) {
    FakeBackend::Plan plan;
    plan.missing_model = "nowhere.xml";
    Trial run(frames(std::numeric_limits<std::int64_t>::max()), plan);
    run.pipeline->start();
    PipelineSettings settings = run.pipeline->settings();
    settings.detector.model = "nowhere.xml";
    settings.nms.theta = 0.75F;
    run.pipeline->update(settings);
    ASSERT_TRUE(eventually([&] { return !run.pipeline->notice().empty(); }));
    EXPECT_EQ(run.pipeline->state(), PipelineState::running);
    EXPECT_EQ(run.pipeline->settings().detector.model, "");
    settings.detector.model = "";
    run.pipeline->update(settings);
    EXPECT_TRUE(eventually([&] { return run.pipeline->notice().empty(); }));
    EXPECT_EQ(run.pipeline->settings().nms.theta, 0.75F);
}

TEST(Pipeline, SettingsHaveAllParametersOfDetection) {
    DetectionParams params;
    params.detector.min_size = 33;
    params.nms.theta = 0.75F;
    params.min_confidence = 0.25F;
    params.capacity = 1 << 21;
    const PipelineSettings settings = pipeline_settings(params);
    EXPECT_EQ(settings.detector, params.detector);
    EXPECT_EQ(settings.nms, params.nms);
    EXPECT_EQ(settings.min_confidence, params.min_confidence);
    EXPECT_EQ(settings.capacity, params.capacity);
    EXPECT_EQ(settings.capacity_limit, params.capacity) << "raised";
    EXPECT_EQ(pipeline_settings({}).capacity, PipelineSettings().capacity);
}

TEST(Pipeline, InvalidSettingsAreRejectedAtOnce) {
    PipelineSettings settings;
    settings.nms.theta = std::nanf("");
    EXPECT_THROW(Trial(frames(1), {}, {}, settings), Error);
    Trial run(frames(1));
    EXPECT_THROW(run.pipeline->update(settings), Error);
    settings = {};
    settings.capacity = 0;
    EXPECT_THROW(run.pipeline->update(settings), Error);
    EXPECT_THROW(run.pipeline->set_speed(0), Error);
    EXPECT_THROW(run.pipeline->set_speed(std::nan("")), Error);
}

TEST(Pipeline, AFrameThatOverflowsRunsAgainInLargerBuffers) {
    FakeBackend::Plan plan;
    plan.boxes = [](std::int64_t frame) { return frame == 3 ? 1000U : 5U; };
    PipelineSettings settings;
    settings.capacity = 100;
    Trial run(frames(6), plan, {}, settings);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.sink->kept(), (std::vector<std::size_t>{5, 5, 5, 1000, 5, 5}));
    EXPECT_EQ(run.sink->overflows(), std::vector<std::uint32_t>(6, 0));
    EXPECT_EQ(run.pipeline->counters().overflowed, 1U);
}

TEST(Pipeline, AnOverflowBeyondTheLimitIsReported) {
    FakeBackend::Plan plan;
    plan.boxes = [](std::int64_t) { return 1000U; };
    PipelineSettings settings;
    settings.capacity = 100;
    settings.capacity_limit = 300;
    Trial run(frames(3), plan, {}, settings);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.sink->kept(), std::vector<std::size_t>(3, 300));
    EXPECT_EQ(run.sink->overflows(), std::vector<std::uint32_t>(3, 700));
    EXPECT_EQ(run.pipeline->latest()->raw_count, 1000U);
    EXPECT_NE(run.pipeline->notice(), "");
}

TEST(Pipeline, WithoutMemoryForLargerBuffersTheOldOnesRemain) {
    for (const BackendKind kind : {BackendKind::cpu, BackendKind::cuda}) {
        FakeBackend::Plan plan;
        plan.kind = kind;
        plan.boxes = [](std::int64_t frame) { return frame == 3 ? 1000U : 5U; };
        plan.most = 100;
        PipelineSettings settings;
        settings.capacity = 100;
        Trial run(frames(8), plan, {}, settings);
        run.run();
        EXPECT_EQ(run.sink->kept(), (std::vector<std::size_t>{5, 5, 5, 100, 5, 5, 5, 5}));
        EXPECT_EQ(run.sink->overflows(), (std::vector<std::uint32_t>{0, 0, 0, 900, 0, 0, 0, 0}));
        EXPECT_EQ(*plan.rejected, 1) << "it is not tried again for each frame";
    }
}

TEST(Pipeline, ALiveSourceGrowsForTheNextFrameAndReportsTheOverflow) {
    FakeSource::Plan camera = frames(200);
    camera.live = true;
    camera.read_time = std::chrono::milliseconds(1);
    FakeBackend::Plan plan;
    plan.boxes = [](std::int64_t) { return 1000U; };
    PipelineSettings settings;
    settings.capacity = 100;
    Trial run(camera, plan, {}, settings);
    run.pipeline->start();
    run.pipeline->wait();
    ASSERT_GE(run.sink->overflows().size(), 2U);
    EXPECT_EQ(run.sink->overflows()[0], 900U);
    EXPECT_EQ(run.sink->overflows()[1], 0U);
    EXPECT_EQ(run.pipeline->counters().overflowed, 1U);
}

TEST(Pipeline, RawDetectionsAreReturnedOnlyOnRequest) {
    for (const bool keep_raw : {false, true}) {
        PipelineSettings settings;
        settings.keep_raw = keep_raw;
        Trial run(frames(1), {}, {}, settings);
        run.pipeline->start();
        run.pipeline->wait();
        EXPECT_EQ(run.pipeline->latest()->raw.detections.size(), keep_raw ? 2U : 0U);
        EXPECT_EQ(run.pipeline->latest()->raw_count, 2U);
    }
}

TEST(Pipeline, TheFallbackContinuesWithTheSameFrame) {
    FakeBackend::Plan first;
    first.name = "first";
    first.fails_at = 4;
    PipelineOptions options;
    options.fallback = [] {
        FakeBackend::Plan second;
        second.name = "second";
        return std::make_shared<FakeBackend>(second);
    };
    first.switches.resize(1);
    first.switches[0].id = "memory";
    PipelineSettings settings;
    settings.detector.switches["memory"] = "shared";
    Trial run(frames(10), first, options, settings);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_EQ(run.sink->frames(), count_to(10));
    EXPECT_EQ(run.pipeline->backend_name(), "second");
    EXPECT_TRUE(run.pipeline->settings().detector.switches.empty()) << "those of the first one";
    EXPECT_NE(run.pipeline->notice().text().find("first"), std::string::npos);
}

TEST(Pipeline, TheFallbackGetsAFrameThatFailedBeforeItWasDetected) {
    constexpr std::int32_t kCapacity = 8;
    FakeBackend::Plan first;
    first.in_flight = 2;
    first.boxes = [](std::int64_t frame) { return frame == 3 ? 2U * kCapacity : 2U; };
    first.buffers = 6;  // two per frame in flight, and those in which frame 3 is detected again: none for frame 6
    PipelineOptions options;
    options.fallback = [] { return std::make_shared<FakeBackend>(); };
    PipelineSettings settings;
    settings.capacity = kCapacity;
    Trial run(frames(10), first, options, settings);
    run.run();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_NE(run.pipeline->notice().text().find("the device failed"), std::string::npos);
    EXPECT_EQ(run.sink->frames(), count_to(10));
    EXPECT_EQ(run.pipeline->counters().dropped, 0U);
}

TEST(Pipeline, TheFallbackIsUsedOnceAndNotForInputErrors) {
    PipelineOptions options;
    int made = 0;
    options.fallback = [&made] {
        ++made;
        FakeBackend::Plan second;
        second.fails_at = 6;
        return std::make_shared<FakeBackend>(second);
    };
    FakeBackend::Plan first;
    first.fails_at = 4;
    Trial run(frames(10), first, options);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::failed);
    EXPECT_EQ(run.sink->frames(), count_to(6));
    EXPECT_EQ(made, 1);

    first.failure = ErrorKind::input;
    Trial broken(frames(10), first, options);
    broken.pipeline->start();
    broken.pipeline->wait();
    EXPECT_EQ(broken.pipeline->failure()->kind(), ErrorKind::input);
    EXPECT_EQ(made, 1);
}

TEST(Pipeline, TimingsListTheStagesInOrder) {
    Trial run(frames(5));
    run.pipeline->start();
    run.pipeline->wait();
    std::vector<std::string> names;
    for (const StageSummary& summary : run.pipeline->timings()) {
        names.push_back(summary.name);
        EXPECT_EQ(summary.ms.count, 5U);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"decode", "cascade", "nms_map", "download", "total"}));
}

TEST(Pipeline, AnotherDetectorResetsTheTimings) {
    FakeBackend::Plan plan;
    plan.detect_time = std::chrono::milliseconds(1);
    PipelineOptions options;
    options.timing_window = 1 << 16;  // more frames than this test processes
    Trial run(frames(std::numeric_limits<std::int64_t>::max()), plan, options);
    // Reads the counters first: without a reset, the timings then count at least as many frames.
    const auto was_reset = [&] {
        const std::uint64_t detected = run.pipeline->counters().detected;
        const std::vector<StageSummary> timings = run.pipeline->timings();
        return !timings.empty() && timings.front().ms.count < detected;
    };
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return run.pipeline->counters().detected > 5; }));
    EXPECT_FALSE(was_reset());
    PipelineSettings settings = run.pipeline->settings();
    settings.detector.model = "another.xml";
    run.pipeline->update(settings);
    EXPECT_TRUE(eventually(was_reset));
}

TEST(Pipeline, ASettingChangedWhilePausedReplacesTheTimings) {
    Trial run(frames(std::numeric_limits<std::int64_t>::max()));
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return run.pipeline->counters().detected > 5; }));
    ASSERT_TRUE(test::pause_at(*run.pipeline, std::int64_t{1} << 40));
    PipelineSettings settings = run.pipeline->settings();
    settings.detector.min_size += 10;
    run.pipeline->update(settings);
    EXPECT_TRUE(eventually([&] {
        const std::vector<StageSummary> timings = run.pipeline->timings();
        return !timings.empty() && timings.back().ms.count == 1;
    })) << "the table shows the frame that is detected again";
}

TEST(Pipeline, TheFrameSizeMayChange) {
    FakeSource::Plan plan = frames(6);
    plan.resizes_at = 3;
    Trial run(plan);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.sink->frames(), count_to(6));
    EXPECT_EQ(run.pipeline->latest()->frame.width(), 32);
}

TEST(Pipeline, ARemovedSinkIsClosedAndGetsNoMoreResults) {
    Trial run(frames(std::numeric_limits<std::int64_t>::max()));
    run.pipeline->start();
    const auto recording = std::make_shared<RecordingSink>();
    run.pipeline->add_sink(recording);
    ASSERT_TRUE(eventually([&] { return recording->frames().size() > 3; }));
    run.pipeline->remove_sink(recording);
    const std::size_t written = recording->frames().size();
    EXPECT_EQ(recording->closed(), 1);
    const std::uint64_t before = run.pipeline->counters().detected;
    ASSERT_TRUE(eventually([&] { return run.pipeline->counters().detected > before + 3; }));
    EXPECT_EQ(recording->frames().size(), written);
    run.pipeline->stop();
    EXPECT_EQ(recording->closed(), 1);
}

TEST(Pipeline, TheWakeCallbackRunsForEveryResultAndTheEnd) {
    Trial run(frames(5));
    std::atomic<int> wakes = 0;
    run.pipeline->set_wake([&] { ++wakes; });
    run.run();
    run.pipeline->stop();
    EXPECT_GE(wakes, 6);
}

// --- playback

PipelineOptions in_real_time() {
    PipelineOptions options;
    options.real_time = true;
    return options;
}

TEST(PipelinePlayback, PausesAndSteps) {
    Trial run(frames(100000), {}, in_real_time());
    run.pipeline->pause(true);
    run.pipeline->start();
    EXPECT_EQ(run.pipeline->state(), PipelineState::paused);
    run.pipeline->step();
    ASSERT_TRUE(eventually([&] { return run.sink->frames().size() == 1; }));
    run.pipeline->step();
    ASSERT_TRUE(eventually([&] { return run.sink->frames().size() == 2; }));
    EXPECT_EQ(run.sink->frames(), count_to(2));
    run.pipeline->pause(false);
    EXPECT_TRUE(eventually([&] { return run.sink->frames().size() > 4; }));
}

TEST(PipelinePlayback, ASeekWhilePausedShowsTheNewFrame) {
    Trial run(frames(100000), {}, in_real_time());
    run.pipeline->pause(true);
    run.pipeline->start();
    run.pipeline->seek(5.0);
    ASSERT_TRUE(eventually([&] { return run.pipeline->latest() != nullptr; }));
    EXPECT_EQ(run.pipeline->latest()->frame.info().index, 500);
    run.pipeline->seek(-3);
    ASSERT_TRUE(eventually([&] { return run.pipeline->latest()->frame.info().index == 0; }));
    EXPECT_EQ(run.pipeline->state(), PipelineState::paused);
}

TEST(PipelinePlayback, ASeekAfterTheEndContinues) {
    const FakeSource::Plan file = frames(5);
    Trial run(file, {}, in_real_time());
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    EXPECT_EQ(run.sink->closed(), 0);
    run.pipeline->seek(0);
    EXPECT_TRUE(eventually([&] { return run.pipeline->counters().decoded >= 10; }));
    EXPECT_TRUE(eventually([&] { return *file.reads >= 12 && run.pipeline->state() == PipelineState::ended; }));
    run.pipeline->stop();
    EXPECT_EQ(*file.reads, 12) << "each end is read once";
    EXPECT_EQ(run.sink->closed(), 1);
}

TEST(Pipeline, ATraceTellsOfItsSource) {
    FakeSource::Plan camera = frames(5);
    camera.reconnects = 3;
    camera.read_time = std::chrono::milliseconds(2);
    Trial run(camera);
    run.run();
    ASSERT_TRUE(run.pipeline->latest());
    EXPECT_EQ(run.pipeline->latest()->trace.reconnects, 3U);
    EXPECT_GE(run.pipeline->latest()->trace.decode_ms, 2);
}

TEST(PipelinePlayback, LoopsWhenLoopIsEnabledAfterTheEnd) {
    const FakeSource::Plan file = frames(3);
    Trial run(file, {}, in_real_time());
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_FALSE(*file.loops);
    run.pipeline->set_loop(true);
    EXPECT_TRUE(eventually([&] { return run.pipeline->counters().decoded > 10; }));
    EXPECT_TRUE(*file.loops) << "the source decodes ahead";
    run.pipeline->stop();
}

// It would be read again without a pause.
TEST(PipelinePlayback, AStillImageIsReadOnceWithLoop) {
    PipelineOptions options = in_real_time();
    options.loop = true;
    Trial run(frames(1), {}, options);
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return run.pipeline->state() == PipelineState::ended; }));
    EXPECT_EQ(run.pipeline->counters().decoded, 1U);
    run.pipeline->seek(0);
    ASSERT_TRUE(eventually([&] { return run.pipeline->counters().decoded > 1; }));
    ASSERT_TRUE(eventually([&] { return run.pipeline->state() == PipelineState::ended; }));
    EXPECT_LE(run.pipeline->counters().decoded, 3U);  // again from the start, since a seek may skip frames
    run.pipeline->stop();
}

TEST(PipelinePlayback, ALoopOverAnEmptySourceEnds) {
    PipelineOptions options;
    options.loop = true;
    Trial run(frames(0), {}, options);
    run.pipeline->start();
    run.pipeline->wait();
    EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
}

TEST(PipelinePlayback, PlaysByTimeStampsAndSpeed) {
    // Ten frames at 100 per second: the last is due 90 ms after the first, or 270 ms at a third of the speed.
    for (const double speed : {1.0, 1.0 / 3}) {
        PipelineOptions options = in_real_time();
        options.speed = speed;
        Trial run(frames(10), {}, options);
        const auto start = std::chrono::steady_clock::now();
        run.pipeline->start();
        run.pipeline->wait();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        EXPECT_GE(seconds, 0.09 / speed);
        EXPECT_EQ(run.pipeline->latest()->frame.info().index, 9);
    }
}

TEST(PipelinePlayback, NewSettingsApplyToAPausedFrame) {
    Trial run(frames(1000), {}, in_real_time());
    run.pipeline->pause(true);
    run.pipeline->start();
    run.pipeline->step();
    ASSERT_TRUE(eventually([&] { return run.sink->frames().size() == 1; }));
    PipelineSettings settings = run.pipeline->settings();
    settings.keep_raw = true;
    run.pipeline->update(settings);
    ASSERT_TRUE(eventually([&] { return run.pipeline->latest()->raw.detections.size() == 2; }));
    EXPECT_EQ(run.pipeline->latest()->frame.info().index, 0);
    EXPECT_EQ(run.sink->frames().size(), 1U);
    EXPECT_EQ(run.pipeline->counters().detected, 1U);
}

// They were meant for a frame that the pause holds back.
TEST(PipelinePlayback, SettingsJustBeforeAPauseApplyToItsFrame) {
    FakeSource::Plan source = frames(10);
    source.waits_at = 3;
    FakeBackend::Plan backend;
    backend.switches.resize(1);
    backend.switches[0].id = "memory";
    Trial run(source, backend, in_real_time());
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] {  // a slow machine drops the frames before
        const std::shared_ptr<const FrameResult> latest = run.pipeline->latest();
        return latest && latest->frame.info().index == 2;
    }));
    PipelineSettings settings = run.pipeline->settings();
    settings.keep_raw = true;
    settings.detector.switches["memory"] = "shared";
    run.pipeline->update(settings);
    ASSERT_TRUE(eventually([&] { return run.pipeline->switches()[0].chosen == "shared"; })) << "before the pause";
    run.pipeline->pause(true);
    EXPECT_TRUE(eventually([&] { return run.pipeline->latest()->raw.detections.size() == 2; }));
    EXPECT_EQ(run.pipeline->latest()->frame.info().index, 2);
}

// A frame that plays after the change has it.
TEST(PipelinePlayback, AFrameWithNewSettingsIsNotDetectedAgain) {
    std::map<std::int64_t, int> detections;
    FakeBackend::Plan backend;
    backend.boxes = [&detections](std::int64_t frame) {
        ++detections[frame];
        return 2U;
    };
    Trial run(frames(100000), backend, in_real_time());
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return run.pipeline->latest() != nullptr; }));
    PipelineSettings settings = run.pipeline->settings();
    settings.keep_raw = true;
    run.pipeline->update(settings);
    ASSERT_TRUE(eventually([&] { return run.pipeline->latest()->raw.detections.size() == 2; }));
    run.pipeline->pause(true);
    for (int k = 0; k < 5; ++k) {
        const std::size_t shown = run.sink->frames().size();
        run.pipeline->step();
        ASSERT_TRUE(eventually([&] { return run.sink->frames().size() > shown; }));
    }
    run.pipeline->stop();
    for (const auto& [frame, count] : detections) EXPECT_EQ(count, 1) << "frame " << frame;
}

// The detector is busy with an earlier frame until the source has gone on from its new place, where it ends.
TEST(PipelinePlayback, ASeekDropsTheFrameThatWaits) {
    const FakeSource::Plan file = frames(20);
    std::atomic<bool> busy = false;
    std::atomic<bool> sought = false;
    FakeBackend::Plan backend;
    backend.boxes = [&](std::int64_t) {
        busy = true;
        EXPECT_TRUE(eventually([&] { return sought.load(); }));
        return 2U;
    };
    Trial run(file, backend, in_real_time());
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return busy && *file.reads == 21; }));
    run.pipeline->seek(50);
    ASSERT_TRUE(eventually([&] { return *file.reads == 22; }));
    sought = true;
    ASSERT_TRUE(eventually([&] { return run.pipeline->state() == PipelineState::ended; }));
    EXPECT_EQ(run.sink->frames().size(), 1U);
    run.pipeline->stop();
}

TEST(PipelinePlayback, StopsWhilePausedOrWaiting) {
    FakeSource::Plan slow = frames(10);
    slow.fps = 0.2;  // the second frame is due five seconds after the first
    for (const bool paused : {true, false}) {
        Trial run(slow, {}, in_real_time());
        run.pipeline->pause(paused);
        run.pipeline->start();
        if (!paused) {
            ASSERT_TRUE(eventually([&] { return run.pipeline->counters().decoded == 2; }));
        }
        run.pipeline->stop();
        EXPECT_EQ(run.pipeline->state(), PipelineState::ended);
    }
}

TEST(PipelinePlayback, APausedLiveSourceIsStillRead) {
    FakeSource::Plan camera = frames(std::numeric_limits<std::int64_t>::max());
    camera.live = true;
    camera.read_time = std::chrono::milliseconds(1);
    Trial run(camera);
    run.pipeline->pause(true);
    run.pipeline->start();
    ASSERT_TRUE(eventually([&] { return run.pipeline->counters().decoded > 20; }));
    EXPECT_EQ(run.pipeline->counters().detected, 0U);
    run.pipeline->pause(false);
    ASSERT_TRUE(eventually([&] { return run.pipeline->latest() != nullptr; }));
    EXPECT_GE(run.pipeline->latest()->frame.info().index, 20);
}

}  // namespace
}  // namespace throng
