#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::FakeBackend;
using test::FakeSource;
using test::Trial;

// Records what must be hidden in each frame.
class PlanSink final : public ResultSink {
public:
    struct Entry {
        std::int64_t frame;
        std::optional<FramePlan> plan;
        bool whole;  // by regions_to_hide
    };
    void write(const FrameResult& result) override {
        const std::lock_guard lock(mutex_);
        entries_.push_back({result.frame.info().index, result.plan, regions_to_hide(result).whole});
    }
    void close() override {}
    [[nodiscard]] std::vector<Entry> entries() const {
        const std::lock_guard lock(mutex_);
        return entries_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

PipelineSettings with_hiding(int delay = 8) {
    PipelineSettings settings;
    settings.hiding.emplace();
    settings.hiding->plan.delay = delay;
    return settings;
}

// One face, missed in frames 15 to 20.
FakeBackend::Plan one_face() {
    FakeBackend::Plan plan;
    plan.boxes = [](std::int64_t frame) { return frame >= 15 && frame <= 20 ? 0U : 1U; };
    return plan;
}

FakeSource::Plan source(std::int64_t frames) {
    FakeSource::Plan plan;
    plan.frames = frames;
    return plan;
}

void expect_all_hidden(const std::vector<PlanSink::Entry>& entries, std::size_t frames) {
    ASSERT_EQ(entries.size(), frames);
    for (std::size_t i = 0; i < frames; ++i) {
        EXPECT_EQ(entries[i].frame, static_cast<std::int64_t>(i));
        ASSERT_TRUE(entries[i].plan.has_value()) << i;
        EXPECT_FALSE(entries[i].whole) << i;
        ASSERT_EQ(entries[i].plan->regions.size(), 1U) << i;
        const bool missed = i >= 15 && i <= 20;
        EXPECT_EQ(entries[i].plan->regions[0].reason, missed ? RegionReason::filled : RegionReason::detected) << i;
    }
}

TEST(Hiding, EveryFrameArrivesInOrderWithItsPlan) {
    for (const int delay : {0, 8, 100}) {
        Trial trial(source(40), one_face(), {}, with_hiding(delay));
        const auto sink = std::make_shared<PlanSink>();
        trial.pipeline->add_sink(sink);
        trial.run();
        if (delay > 0) {
            expect_all_hidden(sink->entries(), 40);
        } else {
            EXPECT_EQ(sink->entries().size(), 40U);
        }
    }
}

// As for cascades: detections of few hits start no track, but each is hidden in its frame.
TEST(Hiding, WhatIsNotConfidentEnoughIsHiddenAndNotReported) {
    for (const float min_confidence : {0.0F, 0.9999F}) {
        PipelineSettings settings = with_hiding();
        settings.hiding->tracker.confident_hits = 5;
        settings.min_confidence = min_confidence;
        Trial trial(source(25), one_face(), {}, settings);
        const auto sink = std::make_shared<PlanSink>();
        trial.pipeline->add_sink(sink);
        trial.run();
        const std::vector<PlanSink::Entry> entries = sink->entries();
        ASSERT_EQ(entries.size(), 25U);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const bool missed = i >= 15 && i <= 20;
            EXPECT_EQ(trial.sink->kept()[i], missed || min_confidence > 0 ? 0U : 1U) << i;
            ASSERT_EQ(entries[i].plan->regions.size(), missed ? 0U : 1U) << i;
        }
    }
}

TEST(Hiding, AFailureOfTheBackendLosesNoPlan) {
    PipelineOptions options;
    options.fallback = [] { return std::make_shared<FakeBackend>(one_face()); };
    FakeBackend::Plan failing = one_face();
    failing.fails_at = 17;
    Trial trial(source(40), failing, options, with_hiding());
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    EXPECT_NE(trial.pipeline->notice(), "");
    expect_all_hidden(sink->entries(), 40);
}

// Hiding has a detector of its own; the one on screen is "haar".
PipelineSettings with_search() {
    PipelineSettings settings = with_hiding();
    settings.hiding->search.emplace();
    settings.hiding->search->detector.kind = DetectorId::cnn;
    settings.hiding->shown_growth = 0.5F;
    return settings;
}

TEST(Hiding, ADetectorOfItsOwnDecides) {
    FakeBackend::Plan plan = one_face();
    plan.only_kind = DetectorId::cnn;
    Trial trial(source(40), plan, {}, with_search());
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    expect_all_hidden(sink->entries(), 40);
    for (const std::size_t shown : trial.sink->kept()) EXPECT_EQ(shown, 0U);
}

TEST(Hiding, WhatIsShownIsHiddenBesides) {
    FakeBackend::Plan plan = one_face();
    plan.only_kind = DetectorId::haar;
    Trial trial(source(40), plan, {}, with_search());
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    const std::vector<PlanSink::Entry> entries = sink->entries();
    ASSERT_EQ(entries.size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) {
        const std::vector<PlannedRegion>& regions = entries[i].plan->regions;
        ASSERT_EQ(regions.size(), i >= 15 && i <= 20 ? 0U : 1U) << i;
        if (regions.empty()) continue;
        const Box& box = regions[0].box;
        EXPECT_EQ(box.x, -5);
        EXPECT_EQ(box.y, -5);
        EXPECT_EQ(box.w, 20);
        EXPECT_EQ(box.h, 20);
    }
}

TEST(Hiding, AFailedSearchHidesItsFrameWhole) {
    FakeBackend::Plan plan = one_face();
    plan.only_kind = DetectorId::cnn;
    PipelineOptions options;
    options.fallback = [plan] { return std::make_shared<FakeBackend>(plan); };
    FakeBackend::Plan failing = plan;
    failing.fails_at = 17;
    Trial trial(source(40), failing, options, with_search());
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    const std::vector<PlanSink::Entry> entries = sink->entries();
    ASSERT_EQ(entries.size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(entries[i].whole, i == 17) << i;
    EXPECT_NE(trial.pipeline->notice(), "");
}

TEST(Hiding, WithoutItsDetectorNothingIsShown) {
    FakeBackend::Plan plan = one_face();
    plan.missing_model = "none.onnx";
    PipelineSettings settings = with_search();
    settings.hiding->search->detector.model = plan.missing_model;
    Trial trial(source(40), plan, {}, settings);
    trial.pipeline->start();
    EXPECT_FALSE(trial.pipeline->wait_ready());
    trial.pipeline->wait();
    EXPECT_TRUE(trial.sink->frames().empty());
    ASSERT_TRUE(trial.pipeline->failure().has_value());
    EXPECT_EQ(trial.pipeline->failure()->kind(), ErrorKind::unavailable);
}

TEST(Hiding, NothingIsHeldBackWithoutIt) {
    Trial trial(source(5), one_face());
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    ASSERT_EQ(sink->entries().size(), 5U);
    for (const PlanSink::Entry& entry : sink->entries()) {
        EXPECT_FALSE(entry.plan.has_value());
        EXPECT_TRUE(entry.whole) << "a frame that nobody judged is hidden whole";
    }
}

TEST(Hiding, LostDetectionsHideTheFrameWhole) {
    FakeBackend::Plan backend;
    backend.boxes = [](std::int64_t frame) { return frame == 3 ? 9U : 1U; };
    PipelineSettings settings = with_hiding();
    settings.capacity = settings.capacity_limit = 4;
    Trial trial(source(6), backend, {}, settings);
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    ASSERT_EQ(sink->entries().size(), 6U);
    for (const PlanSink::Entry& entry : sink->entries()) EXPECT_EQ(entry.whole, entry.frame == 3) << entry.frame;
}

TEST(Hiding, ADamagedFrameIsHiddenWhole) {
    FakeSource::Plan damaged = source(6);
    damaged.damaged_at = 3;
    Trial trial(damaged, one_face(), {}, with_hiding());
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.run();
    ASSERT_EQ(sink->entries().size(), 6U);
    for (const PlanSink::Entry& entry : sink->entries()) EXPECT_EQ(entry.whole, entry.frame == 3) << entry.frame;
}

// The newest result of a live source has always been judged, and lags behind by the delay.
TEST(Hiding, ALiveSourceShowsJudgedFramesOnly) {
    FakeSource::Plan live = source(60);
    live.live = true;
    live.read_time = std::chrono::milliseconds(2);
    Trial trial(live, one_face(), {}, with_hiding());
    std::atomic<int> unjudged = 0;
    trial.pipeline->set_wake([&] {
        const auto latest = trial.pipeline->latest();
        if (latest && !latest->plan) ++unjudged;
    });
    trial.run();
    trial.pipeline->set_wake({});
    EXPECT_EQ(unjudged, 0);
    ASSERT_NE(trial.pipeline->latest(), nullptr);
    EXPECT_TRUE(trial.pipeline->latest()->plan.has_value());
}

TEST(Hiding, MaySwitchWhileRunning) {
    FakeSource::Plan slow = source(400);
    slow.read_time = std::chrono::milliseconds(1);
    Trial trial(slow, one_face(), {}, {});
    const auto sink = std::make_shared<PlanSink>();
    trial.pipeline->add_sink(sink);
    trial.pipeline->start();
    ASSERT_TRUE(test::eventually([&] { return sink->entries().size() > 10; }));
    trial.pipeline->update(with_hiding());
    ASSERT_TRUE(test::eventually([&] { return sink->entries().back().plan.has_value(); }));
    trial.pipeline->update({});
    trial.pipeline->wait();
    const std::vector<PlanSink::Entry> entries = sink->entries();
    ASSERT_EQ(entries.size(), 400U);
    for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i].frame, static_cast<std::int64_t>(i));
}

TEST(Hiding, APausedFrameIsJudgedAgainAtOnce) {
    PipelineOptions options;
    options.real_time = true;
    Trial trial(source(100000), one_face(), options, {});
    trial.pipeline->start();
    ASSERT_TRUE(test::eventually([&] { return trial.pipeline->latest() != nullptr; }));
    ASSERT_TRUE(test::pause_at(*trial.pipeline, 50000));
    trial.pipeline->update(with_hiding());
    ASSERT_TRUE(test::eventually([&] { return trial.pipeline->latest()->plan.has_value(); }));
    const std::int64_t before = trial.pipeline->latest()->frame.info().index;
    trial.pipeline->step();
    EXPECT_TRUE(test::eventually([&] { return trial.pipeline->latest()->frame.info().index == before + 1; }))
        << "a step shows its own frame";
    EXPECT_TRUE(trial.pipeline->latest()->plan.has_value());
}

}  // namespace
}  // namespace throng
