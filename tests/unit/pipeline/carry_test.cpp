// A picture at the source's rate while detection is slower.
#include "core/pipeline/carry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/frame/frame_pool.h"
#include "core/track/tracker.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

Frame picture_at(std::int64_t index, double pts, int width = 64) {
    static FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, width, 48);
    writable.info().index = index;
    writable.info().pts = pts;
    writable.info().captured = std::chrono::steady_clock::now();
    return std::move(writable).finish();
}

// A face that moves by 100 px per second to the right and 50 up, and a detection without a track.
std::shared_ptr<const FrameResult> result_at(std::int64_t index, double pts) {
    auto result = std::make_shared<FrameResult>();
    result->frame = picture_at(index, pts);
    result->kept.detections = {{{5, 6, 7, 8}, 1}, {{10, 20, 8, 8}, 1}};
    result->kept.landmarks.resize(2);
    result->raw.detections = {{{11, 21, 8, 8}, 1}, {{50, 6, 7, 8}, 1}};
    result->raw_count = 2;
    Track track;
    track.id = 4;
    track.box = track.smoothed = {10, 20, 8, 8};
    track.vx = 100;
    track.vy = -50;
    track.detection = 1;
    result->tracks = {track};
    return result;
}

TEST(Carry, MovesTracksAndTheirDetections) {
    FrameResult detected = *result_at(3, 1.0);
    detected.faces = std::make_shared<FrameResult>(detected);
    const auto carried = carry(detected, picture_at(4, 1.1));
    EXPECT_FLOAT_EQ(carried->faces->tracks[0].box.x, 20);
    EXPECT_FLOAT_EQ(detected.faces->tracks[0].box.x, 10) << "the faces of the result itself stay";
    EXPECT_TRUE(carried->carried);
    EXPECT_EQ(carried->frame.info().index, 4);
    EXPECT_FLOAT_EQ(carried->tracks[0].box.x, 20);
    EXPECT_FLOAT_EQ(carried->tracks[0].smoothed.y, 15);
    EXPECT_FLOAT_EQ(carried->kept.detections[1].box.x, 20);
    EXPECT_FLOAT_EQ(carried->kept.landmarks[1].xy[0], 10);
    EXPECT_FLOAT_EQ(carried->kept.landmarks[1].xy[9], -5);
    EXPECT_FLOAT_EQ(carried->kept.detections[0].box.x, 5) << "without a track";
    EXPECT_FLOAT_EQ(carried->raw.detections[0].box.x, 21);
    EXPECT_FLOAT_EQ(carried->raw.detections[1].box.x, 50) << "outside the track";
    EXPECT_EQ(carried->raw_count, 2U);
}

TEST(FrameCarrier, ShowsNothingEarlyWhileDetectionKeepsUp) {
    FrameCarrier carrier;
    EXPECT_EQ(carrier.arrived(picture_at(0, 0)), nullptr) << "nothing was detected yet";
    for (int i = 0; i < 5; ++i) {
        const auto result = result_at(i, i / 10.0);
        EXPECT_EQ(carrier.detected(result), result);
        EXPECT_EQ(carrier.arrived(picture_at(i + 1, (i + 1) / 10.0)), nullptr);
    }
}

TEST(FrameCarrier, CarriesBoxesToFramesThatCannotWait) {
    FrameCarrier carrier;
    EXPECT_EQ(carrier.arrived(picture_at(0, 0)), nullptr);
    const auto first = result_at(0, 0);
    EXPECT_EQ(carrier.detected(first), first);
    EXPECT_EQ(carrier.arrived(picture_at(1, 0.1)), nullptr);  // is detected now
    const auto early = carrier.arrived(picture_at(2, 0.2));
    ASSERT_NE(early, nullptr);
    EXPECT_EQ(early->frame.info().index, 2);
    EXPECT_FLOAT_EQ(early->tracks[0].box.x, 30);
    // The result of frame 1 arrives after frame 2 was shown.
    const auto late = carrier.detected(result_at(1, 0.1));
    EXPECT_EQ(late->frame.info().index, 2) << "the picture must not go back";
    EXPECT_FLOAT_EQ(late->tracks[0].box.x, 20);
    // Frame 2 itself is detected: its own boxes.
    const auto own = result_at(2, 0.2);
    EXPECT_EQ(carrier.detected(own), own);
}

TEST(FrameCarrier, DoesNotCarryAcrossSeeksSizesAndLongPauses) {
    const auto behind = [](FrameCarrier& carrier) {
        EXPECT_EQ(carrier.arrived(picture_at(9, 0.9)), nullptr);
        static_cast<void>(carrier.detected(result_at(9, 0.9)));
        EXPECT_EQ(carrier.arrived(picture_at(10, 1.0)), nullptr);
    };
    FrameCarrier back;
    behind(back);
    EXPECT_EQ(back.arrived(picture_at(0, 0)), nullptr);
    FrameCarrier size;
    behind(size);
    EXPECT_EQ(size.arrived(picture_at(11, 1.1, 128)), nullptr);
    FrameCarrier pause;
    behind(pause);
    EXPECT_EQ(pause.arrived(picture_at(30, 3)), nullptr);
}

TEST(Pipeline, CarriesFramesAndSinksReceiveOnlyDetectedOnes) {
    test::FakeSource::Plan camera;
    camera.frames = 150;
    camera.live = true;
    camera.read_time = std::chrono::milliseconds(3);
    test::FakeBackend::Plan slow;
    slow.detect_time = std::chrono::milliseconds(30);
    for (const bool carries : {false, true}) {
        PipelineSettings settings;
        settings.tracking = tracker_params(DetectorId::haar);
        settings.carry = carries;
        test::Trial run(camera, slow, {}, settings);
        std::mutex mutex;
        std::vector<double> shown;
        std::size_t carried = 0;
        run.pipeline->set_wake([&] {
            const std::lock_guard lock(mutex);  // first: two threads call, and results must keep their order
            const auto result = run.pipeline->latest();
            if (!result) return;
            if (!shown.empty() && result->frame.info().pts == shown.back()) return;
            shown.push_back(result->frame.info().pts);
            carried += result->carried ? 1 : 0;
        });
        run.run();
        run.pipeline->set_wake({});
        EXPECT_EQ(carried > 0, carries);
        EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
        const std::size_t detected = run.sink->frames().size();
        if (carries) {
            EXPECT_GT(shown.size(), detected) << "of " << camera.frames;
        } else {
            EXPECT_LE(shown.size(), detected);
        }
        EXPECT_EQ(run.pipeline->counters().detected, detected);
    }
}

TEST(Pipeline, QualityAdaptsToASlowDetectorOfALiveSourceOnly) {
    test::FakeBackend::Plan slow;
    slow.detect_time = std::chrono::milliseconds(4);
    for (const bool live : {true, false}) {
        test::FakeSource::Plan source;
        source.frames = 60;
        source.live = live;
        source.read_time = std::chrono::milliseconds(live ? 5 : 0);
        PipelineSettings settings;
        settings.keep_rate = 1000;
        test::Trial run(source, slow, {}, settings);
        run.run();
        EXPECT_EQ(!run.pipeline->given_up().empty(), live) << run.pipeline->given_up();
        EXPECT_EQ(run.pipeline->settings().detector.min_size, settings.detector.min_size) << "the configured one";
    }
}

}  // namespace
}  // namespace throng
