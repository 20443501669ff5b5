#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/detect/chosen_settings.h"
#include "core/detect/detector_kinds.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/frame_processor.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::FakeBackend;
using test::FakeSource;
using test::Trial;

class TrackSink final : public ResultSink {
public:
    void write(const FrameResult& result) override {
        const std::lock_guard lock(mutex_);
        for (const Track& track : result.tracks) ids.insert(track.id);
        tracks.push_back(result.tracks.size());
    }
    void close() override {}

    std::set<std::int64_t> ids;
    std::vector<std::size_t> tracks;  // by frame

private:
    std::mutex mutex_;
};

PipelineSettings with_tracking() {
    PipelineSettings settings;
    settings.tracking.emplace();
    return settings;
}

FakeBackend::Plan one_box() {
    FakeBackend::Plan plan;
    plan.boxes = [](std::int64_t) { return 1U; };
    return plan;
}

FakeSource::Plan source_of(std::int64_t count) {
    FakeSource::Plan plan;
    plan.frames = count;
    return plan;
}

TEST(Tracking, ResultsHaveTracksOnRequest) {
    for (const bool on : {false, true}) {
        Trial trial(source_of(5), one_box(), {}, on ? with_tracking() : PipelineSettings());
        const auto sink = std::make_shared<TrackSink>();
        trial.pipeline->add_sink(sink);
        trial.run();
        EXPECT_EQ(sink->tracks, std::vector<std::size_t>(5, on ? 1 : 0));
        EXPECT_EQ(sink->ids.size(), on ? 1U : 0U);
    }
}

TEST(Tracking, IdsSurviveAFailureOfTheBackend) {
    PipelineOptions options;
    options.fallback = [] { return std::make_shared<FakeBackend>(one_box()); };
    FakeBackend::Plan failing = one_box();
    failing.fails_at = 6;
    Trial trial(source_of(10), failing, options, with_tracking());
    const auto sink = std::make_shared<TrackSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    EXPECT_NE(trial.pipeline->notice(), "");
    EXPECT_EQ(sink->tracks, std::vector<std::size_t>(10, 1));
    EXPECT_EQ(sink->ids, (std::set<std::int64_t>{1}));
}

class FacesSink final : public ResultSink {
public:
    void write(const FrameResult& result) override {
        const std::lock_guard lock(mutex_);
        results.push_back(result);
    }
    void close() override {}
    std::vector<FrameResult> results;

private:
    std::mutex mutex_;
};

// Both detectors find the boxes of the fake backend in each frame; too many in frame 4, which runs again in larger buffers.
TEST(Tracking, PeopleAndTheirFacesAreFoundInOneFrame) {
    for (const int in_flight : {1, 2}) {
        FakeBackend::Plan plan;
        plan.boxes = [](std::int64_t frame) { return frame == 4 ? 20U : 2U; };
        plan.in_flight = in_flight;
        PipelineSettings settings = with_tracking();
        settings.detector.kind = DetectorId::face_and_person;
        settings.capacity = 8;
        Trial trial(source_of(8), plan, {}, settings);
        const auto sink = std::make_shared<FacesSink>();
        trial.pipeline->add_sink(sink);
        trial.run();
        ASSERT_EQ(sink->results.size(), 8U);
        for (const FrameResult& result : sink->results) {
            ASSERT_TRUE(result.faces);
            const std::size_t expected = result.frame.info().index == 4 ? 20 : 2;
            EXPECT_EQ(result.detector->name, "face+person");
            EXPECT_EQ(result.faces->detector->name, "cnn");
            for (const FrameResult* each : {&result, static_cast<const FrameResult*>(result.faces.get())}) {
                EXPECT_EQ(each->kept.detections.size(), expected);
                EXPECT_EQ(each->frame.info().index, result.frame.info().index);
                EXPECT_EQ(each->overflow, 0U);
                EXPECT_GE(each->tracks.size(), 2U);
            }
        }
    }
}

// Only one of them finds something: each has its own buffers, and settings may change the kind while frames arrive.
TEST(Tracking, EitherDetectorMayFindNothing) {
    for (const DetectorId only : {DetectorId::face_and_person, DetectorId::cnn}) {
        FakeBackend::Plan plan = one_box();
        plan.only_kind = only;
        PipelineSettings settings;
        Engine engine(std::make_shared<FakeBackend>(plan), settings);
        FakeSource source(source_of(4));
        for (const DetectorId kind :
             {DetectorId::face_and_person, DetectorId::haar, DetectorId::face_and_person, DetectorId::cnn}) {
            settings.detector.kind = kind;
            engine.apply(settings);
            DecodedFrame decoded;
            ASSERT_EQ(source.read(decoded.frame, {}), ReadStatus::frame);
            const std::shared_ptr<FrameResult> result = engine.detect(std::move(decoded)).result;
            const bool both = kind == DetectorId::face_and_person;
            ASSERT_EQ(result->faces != nullptr, both);
            EXPECT_EQ(result->kept.detections.size(), kind == only ? 1U : 0U);
            if (!both) continue;
            EXPECT_EQ(result->faces->kept.detections.size(), only == DetectorId::cnn ? 1U : 0U);
        }
    }
}

// Settings that the detector of faces rejects do not reach that of people either.
TEST(Tracking, BothDetectorsTakeNewSettingsOrNone) {
    FakeBackend::Plan plan = one_box();
    plan.configured = std::make_shared<std::map<DetectorId, DetectorParams>>();
    plan.rejecting_kind = DetectorId::cnn;
    plan.rejected_size = 77;
    PipelineSettings settings;
    settings.detector = detector_kind("face+person").params;
    settings.faces = default_params(detector_kind("cnn"));
    FrameProcessor processor(std::make_shared<FakeBackend>(plan), settings);
    settings.detector.min_size = 40;
    settings.faces->detector.min_size = 50;
    processor.apply(settings);
    EXPECT_EQ(plan.configured->at(DetectorId::face_and_person).min_size, 40);
    EXPECT_EQ(plan.configured->at(DetectorId::cnn).min_size, 50);
    PipelineSettings rejected = settings;
    rejected.detector.min_size = 60;
    rejected.faces->detector.min_size = 77;
    EXPECT_THROW(processor.apply(rejected), Error);
    EXPECT_EQ(plan.configured->at(DetectorId::face_and_person).min_size, 40);
    EXPECT_EQ(plan.configured->at(DetectorId::cnn).min_size, 50);
    EXPECT_EQ(processor.settings().detector.min_size, 40);
}

// A switch that both detectors have applies to both, and to neither after a fallback.
TEST(Tracking, SwitchesApplyToTheFacesOfPeople) {
    FakeBackend::Plan plan = one_box();
    plan.configured = std::make_shared<std::map<DetectorId, DetectorParams>>();
    plan.switches = {{"fusion", "Fusion", "", {"on", "off"}, "on"}};
    PipelineSettings settings;
    settings.detector = detector_kind("face+person").params;
    settings.detector.switches["fusion"] = "off";
    FrameProcessor processor(std::make_shared<FakeBackend>(plan), settings);
    EXPECT_EQ(plan.configured->at(DetectorId::cnn).switches, settings.detector.switches);
    settings.faces = face_params(settings);
    settings.faces->detector.switches["fusion"] = "off";
    clear_switches(settings);
    EXPECT_TRUE(settings.detector.switches.empty());
    EXPECT_TRUE(settings.faces->detector.switches.empty());
    processor.apply(settings);
    EXPECT_TRUE(plan.configured->at(DetectorId::cnn).switches.empty());
}

// Each detector may drop detections; the figures are those of both.
TEST(Tracking, OverflowOfBothDetectorsIsCounted) {
    for (const DetectorId only : {DetectorId::face_and_person, DetectorId::cnn}) {
        FakeBackend::Plan plan;
        plan.boxes = [](std::int64_t) { return 20U; };
        plan.only_kind = only;
        PipelineSettings settings;
        settings.detector.kind = DetectorId::face_and_person;
        settings.capacity = settings.capacity_limit = 8;
        Engine engine(std::make_shared<FakeBackend>(plan), settings);
        FakeSource source(source_of(1));
        DecodedFrame decoded;
        ASSERT_EQ(source.read(decoded.frame, {}), ReadStatus::frame);
        const RawCounts raw = raw_counts(*engine.detect(std::move(decoded)).result);
        EXPECT_EQ(raw.found, 20U) << detector_kind(only).name;
        EXPECT_EQ(raw.dropped, 12U) << detector_kind(only).name;
    }
}

TEST(Tracking, InvalidParametersAreRejected) {
    PipelineSettings settings = with_tracking();
    settings.tracking->gate = 0;
    EXPECT_THROW(check_settings(settings), Error);
}

}  // namespace
}  // namespace throng
