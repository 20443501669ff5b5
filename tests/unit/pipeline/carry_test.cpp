// A picture at the source's rate while detection is slower.
#include "core/pipeline/carry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <vector>

#include "core/frame/frame_pool.h"
#include "core/track/tracker.h"
#include "tests/support/random.h"
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

// Each box and each point against the motion of its track, in plain loops.
TEST(Carry, RandomResultsMoveWithTheirTracks) {
    std::mt19937_64 random(test::seed(71));
    const auto uniform = [&](float from, float to) { return std::uniform_real_distribution(from, to)(random); };
    const auto random_box = [&] { return Box{uniform(0, 90), uniform(0, 60), uniform(4, 20), uniform(4, 20)}; };
    for (std::size_t round = test::case_count(30); round > 0; --round) {
        FrameResult detected;
        detected.frame = picture_at(0, 2);
        for (int i = 0; i < 6; ++i) {
            detected.kept.detections.push_back({random_box(), 1});
            auto& points = detected.kept.landmarks.emplace_back();
            for (float& value : points.xy) value = uniform(0, 90);
        }
        for (int i = 0; i < 20; ++i) detected.raw.detections.push_back({random_box(), 1});
        for (int i = 0; i < 4; ++i) {
            Track& track = detected.tracks.emplace_back();
            track.detection = i - 1;  // the first one has none
            track.box = track.smoothed =
                i > 0 ? detected.kept.detections[static_cast<std::size_t>(i - 1)].box : random_box();
            track.vx = uniform(-50, 50);
            track.vy = uniform(-50, 50);
        }
        const float seconds = uniform(0.01F, 0.9F);
        const auto carried = carry(detected, picture_at(1, 2 + static_cast<double>(seconds)));
        const auto expect_moved = [&](const Box& from, const Box& to, const Track* track) {
            EXPECT_NEAR(to.x, from.x + (track ? seconds * track->vx : 0), 1e-3);
            EXPECT_NEAR(to.y, from.y + (track ? seconds * track->vy : 0), 1e-3);
            EXPECT_EQ(to.w, from.w);
            EXPECT_EQ(to.h, from.h);
        };
        for (std::size_t i = 0; i < detected.tracks.size(); ++i) {
            expect_moved(detected.tracks[i].box, carried->tracks[i].box, &detected.tracks[i]);
            expect_moved(detected.tracks[i].smoothed, carried->tracks[i].smoothed, &detected.tracks[i]);
        }
        for (std::size_t i = 0; i < detected.kept.detections.size(); ++i) {
            const Track* track = i < 3 ? &detected.tracks[i + 1] : nullptr;
            expect_moved(detected.kept.detections[i].box, carried->kept.detections[i].box, track);
            for (std::size_t k = 0; k < 10; ++k) {
                const float motion = !track ? 0 : seconds * (k % 2 == 0 ? track->vx : track->vy);
                EXPECT_NEAR(carried->kept.landmarks[i].xy[k], detected.kept.landmarks[i].xy[k] + motion, 1e-3);
            }
        }
        for (std::size_t i = 0; i < detected.raw.detections.size(); ++i) {
            const Box& box = detected.raw.detections[i].box;
            const Track* owner = nullptr;
            for (const Track& track : detected.tracks) {
                const float right = box.x + box.w / 2 - track.box.x, down = box.y + box.h / 2 - track.box.y;
                if (!owner && right >= 0 && right < track.box.w && down >= 0 && down < track.box.h) owner = &track;
            }
            expect_moved(box, carried->raw.detections[i].box, owner);
        }
    }
}

TEST(FrameCarrier, CarriesForASecondAtMost) {
    for (const double pts : {1.5, 1.501}) {
        FrameCarrier carrier;
        static_cast<void>(carrier.arrived(picture_at(0, 0.5)));
        static_cast<void>(carrier.detected(result_at(0, 0.5)));
        EXPECT_EQ(carrier.arrived(picture_at(1, 0.6)), nullptr);
        EXPECT_EQ(carrier.arrived(picture_at(2, pts)) != nullptr, pts == 1.5) << pts;
    }
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

TEST(Pipeline, CarryingMayBeSwitchedWhileRunning) {
    test::FakeSource::Plan camera;
    camera.frames = 1'000'000;
    camera.live = true;
    camera.read_time = std::chrono::milliseconds(2);
    test::FakeBackend::Plan slow;
    slow.detect_time = std::chrono::milliseconds(8);
    PipelineSettings settings;
    settings.tracking = tracker_params(DetectorId::haar);
    settings.carry = true;
    test::Trial run(camera, slow, {}, settings);
    std::atomic<int> carried = 0;
    run.pipeline->set_wake([&] {
        const auto result = run.pipeline->latest();
        if (result && result->carried) ++carried;
    });
    run.pipeline->start();
    const auto detects = [&](std::size_t count) {
        const std::size_t enough = run.sink->frames().size() + count;
        return test::eventually([&, enough] { return run.sink->frames().size() >= enough; });
    };
    for (int round = 0; round < 2; ++round) {
        settings.carry = true;
        run.pipeline->update(settings);
        ASSERT_TRUE(test::eventually([&, before = carried.load()] { return carried > before + 2; }));
        settings.carry = false;
        run.pipeline->update(settings);
        ASSERT_TRUE(detects(3)) << "a setting holds from the next frame on";
        const int before = carried;
        ASSERT_TRUE(detects(4));
        EXPECT_EQ(carried, before);
    }
    run.pipeline->set_wake({});
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
