#include <gtest/gtest.h>

#include <mutex>
#include <set>

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

TEST(Tracking, InvalidParametersAreRejected) {
    PipelineSettings settings = with_tracking();
    settings.tracking->gate = 0;
    EXPECT_THROW(check_settings(settings), Error);
}

}  // namespace
}  // namespace throng
