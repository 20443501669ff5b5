#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/detect/chosen_settings.h"
#include "core/detect/detector_kinds.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/frame_processor.h"
#include "tests/support/random.h"
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
    plan.switches = {{"memory", "Memory", "", {"shared", "own"}, "own"}, {"fusion", "Fusion", "", {"on", "off"}, "on"}};
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

// What is not reported is a candidate. What remains keeps its landmarks, density and features.
TEST(Tracking, RejectedDetectionsAreCandidatesAndTheOthersKeepTheirFields) {
    std::mt19937_64 random(test::seed(72));
    const DetectorKind& kind = detector_kind(DetectorId::haar);
    for (std::size_t round = test::case_count(30); round > 0; --round) {
        DetectionSet found;
        const bool landmarks = round % 2 == 0, density = round % 3 == 0;
        found.feature_size = round % 5 == 0 ? 3 : 0;
        for (std::size_t n = random() % 12; n > 0; --n) {
            const auto number = static_cast<float>(n);
            found.detections.push_back(
                {{number, 0, 10, 10}, static_cast<float>(random() % 40), static_cast<std::int32_t>(random() % 8), -1});
            if (landmarks) found.landmarks.push_back({{number, 0, 0, 0, 0, 0, 0, 0, 0, -number}});
            if (density) found.density.push_back(number);
            for (int i = 0; i < found.feature_size; ++i) found.features.push_back(number + static_cast<float>(i));
        }
        found.total = static_cast<std::uint32_t>(found.detections.size());
        FakeBackend::Plan plan;
        plan.changes = [&](DetectionSet& kept) { kept = found; };
        if (round % 2 == 0) plan.score_threshold = 20;
        PipelineSettings settings = with_tracking();
        settings.tracking->candidate_fraction = 0.5F;
        settings.nms.min_hits = 3;
        settings.min_confidence = 0.5F;
        Trial trial(source_of(1), plan, {}, settings);
        const auto sink = std::make_shared<FacesSink>();
        trial.pipeline->add_sink(sink);
        trial.run();
        EXPECT_EQ(*plan.min_hits, 1) << "NMS drops the candidates";
        ASSERT_EQ(sink->results.size(), 1U);
        const FrameResult& result = sink->results.front();
        std::vector<float> kept, unconfident, rejected;
        for (const Detection& each : found.detections) {
            const bool is_confident = confidence_of(kind, each.score, each.hits) >= 0.5F;
            const bool is_rejected = each.hits < 3 || each.score < plan.score_threshold.value_or(0);
            (is_rejected ? rejected : is_confident ? kept : unconfident).push_back(each.box.x);
        }
        EXPECT_EQ(result.num_unconfident, unconfident.size());
        unconfident.insert(unconfident.end(), rejected.begin(), rejected.end());
        std::vector<float> candidates;
        for (const Detection& each : result.candidates) candidates.push_back(each.box.x);
        EXPECT_EQ(candidates, unconfident);
        EXPECT_EQ(result.kept.total, kept.size());
        ASSERT_EQ(result.kept.detections.size(), kept.size());
        ASSERT_EQ(result.kept.landmarks.size(), landmarks ? kept.size() : 0);
        ASSERT_EQ(result.kept.density.size(), density ? kept.size() : 0);
        ASSERT_EQ(result.kept.features.size(), kept.size() * static_cast<std::size_t>(found.feature_size));
        for (std::size_t i = 0; i < kept.size(); ++i) {
            EXPECT_EQ(result.kept.detections[i].box.x, kept[i]);
            EXPECT_EQ(result.kept.detections[i].confidence,
                      confidence_of(kind, result.kept.detections[i].score, result.kept.detections[i].hits));
            if (landmarks) {
                EXPECT_EQ(result.kept.landmarks[i].xy[0], kept[i]);
                EXPECT_EQ(result.kept.landmarks[i].xy[9], -kept[i]);
            }
            if (density) {
                EXPECT_EQ(result.kept.density[i], kept[i]);
            }
            for (std::size_t k = 0; k < static_cast<std::size_t>(found.feature_size); ++k) {
                EXPECT_EQ(result.kept.features[3 * i + k], kept[i] + static_cast<float>(k));
            }
        }
    }
}

}  // namespace
}  // namespace throng
