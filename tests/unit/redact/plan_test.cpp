#include "core/redact/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

constexpr int kWidth = 640;
constexpr int kHeight = 480;

FaceBox face(std::int64_t track, float x, float y, float size = 40, float score = 1) {
    return {track, {x, y, size, size}, score, true};
}

bool covers(const Box& outer, const Box& inner, float tolerance = 0.01F) {
    return outer.x <= inner.x + tolerance && outer.y <= inner.y + tolerance &&
           outer.x + outer.w >= inner.x + inner.w - tolerance && outer.y + outer.h >= inner.y + inner.h - tolerance;
}

std::vector<FramePlan> plan_all(RedactPlanner& planner, const std::vector<std::vector<FaceBox>>& frames) {
    std::vector<FramePlan> plans;
    const auto take = [&] {
        while (std::optional<FramePlan> plan = planner.pop()) plans.push_back(std::move(*plan));
    };
    for (const std::vector<FaceBox>& boxes : frames) {
        planner.push(boxes);
        take();
    }
    planner.finish();
    take();
    return plans;
}

std::vector<FramePlan> plan_all(const std::vector<std::vector<FaceBox>>& frames, const PlanOptions& options = {}) {
    RedactPlanner planner(kWidth, kHeight, options);
    return plan_all(planner, frames);
}

// A face that moves 3 pixels per frame and is missed in frames `from` to `to`.
std::vector<std::vector<FaceBox>> walk(int frames, int from, int to) {
    std::vector<std::vector<FaceBox>> result(static_cast<std::size_t>(frames));
    for (int i = 0; i < frames; ++i) {
        if (i >= from && i <= to) continue;
        result[static_cast<std::size_t>(i)].push_back(face(7, 100.0F + 3.0F * static_cast<float>(i), 200));
    }
    return result;
}

TEST(RedactPlan, FillsAGapBetweenTwoDetections) {
    const std::vector<FramePlan> plans = plan_all(walk(60, 20, 39));
    ASSERT_EQ(plans.size(), 60U);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        ASSERT_EQ(plans[i].regions.size(), 1U) << i;
        const PlannedRegion& region = plans[i].regions[0];
        EXPECT_EQ(plans[i].number, static_cast<std::int64_t>(i));
        EXPECT_EQ(region.track, 7);
        EXPECT_EQ(region.reason, i >= 20 && i <= 39 ? RegionReason::filled : RegionReason::detected) << i;
        EXPECT_TRUE(covers(region.box, {100.0F + 3.0F * static_cast<float>(i), 200, 40, 40})) << i;
        EXPECT_LT(region.box.w, 60) << i;
    }
    EXPECT_GT(plans[30].regions[0].box.w, plans[21].regions[0].box.w) << "the margin grows with the distance";
}

TEST(RedactPlan, DoesNotFillALongGap) {
    PlanOptions options;
    options.max_gap = 30;
    options.extension = 5;
    const std::vector<FramePlan> plans = plan_all(walk(80, 20, 59), options);
    for (int i = 0; i < 80; ++i) {
        const bool hidden = i <= 24 || i >= 55;
        EXPECT_EQ(plans[static_cast<std::size_t>(i)].regions.size(), hidden ? 1U : 0U) << i;
    }
    EXPECT_EQ(plans[22].regions[0].reason, RegionReason::extended);
}

// The face stands still for as long as its region is extended, and then is elsewhere.
TEST(RedactPlan, ExtendsBothSidesOfALongGap) {
    const FaceBox before = face(7, 100, 200), after = face(7, 300, 260);
    std::vector<std::vector<FaceBox>> frames(75);
    for (std::size_t i = 0; i < 20; ++i) frames[i] = {before};
    for (std::size_t i = 55; i < 75; ++i) frames[i] = {after};
    PlanOptions options;
    options.extension = 20;
    const std::vector<FramePlan> plans = plan_all(frames, options);
    for (std::size_t i = 20; i < 55; ++i) {
        ASSERT_EQ(plans[i].regions.size(), 1U) << i;
        const PlannedRegion& region = plans[i].regions[0];
        EXPECT_EQ(region.reason, RegionReason::extended) << i;
        EXPECT_EQ(covers(region.box, before.box), i < 40) << i;
        EXPECT_EQ(covers(region.box, after.box), i >= 35) << i;
    }
}

TEST(RedactPlan, ExtendsATrackAtBothEndsAlongItsMotion) {
    std::vector<std::vector<FaceBox>> frames = walk(60, 0, 29);
    for (std::size_t i = 45; i < 60; ++i) frames[i].clear();
    PlanOptions options;
    options.extension = 6;
    const std::vector<FramePlan> plans = plan_all(frames, options);
    for (int i = 0; i < 60; ++i) {
        const bool hidden = i >= 24 && i <= 50;
        const std::vector<PlannedRegion>& regions = plans[static_cast<std::size_t>(i)].regions;
        ASSERT_EQ(regions.size(), hidden ? 1U : 0U) << i;
        if (hidden) {
            EXPECT_TRUE(covers(regions[0].box, {100.0F + 3.0F * static_cast<float>(i), 200, 40, 40})) << i;
        }
    }
}

TEST(RedactPlan, DoesNotExtendAShortTrack) {
    std::vector<std::vector<FaceBox>> frames(20);
    frames[10] = {face(1, 300, 200)};
    const std::vector<FramePlan> plans = plan_all(frames);
    for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(plans[i].regions.size(), i == 10 ? 1U : 0U) << i;
}

// A face leaves the frame on the left. The detector reports its visible part, then misses it.
TEST(RedactPlan, HidesAFaceThatTheEdgeCuts) {
    std::vector<std::vector<FaceBox>> frames(70);
    for (int i = 0; i < 70; ++i) {
        const float x = 20 - static_cast<float>(i);
        const Box visible{std::max(x, 0.0F), 200, 60 - std::max(-x, 0.0F), 60};
        if (visible.w > 35) frames[static_cast<std::size_t>(i)].push_back({3, visible, 1, true});
    }
    const std::vector<FramePlan> plans = plan_all(frames);
    for (int i = 0; i < 70; ++i) {
        const float x = 20 - static_cast<float>(i);
        ASSERT_EQ(plans[static_cast<std::size_t>(i)].regions.size(), 1U) << i;
        const Box& box = plans[static_cast<std::size_t>(i)].regions[0].box;
        EXPECT_TRUE(covers(box, {std::max(x, 0.0F), 200, x + 60 - std::max(x, 0.0F), 60})) << i;
        EXPECT_GE(box.w, 60 - 0.01F) << i << ": the former size, so that the ellipse is not narrow";
    }
}

TEST(RedactPlan, OneBoxThatIsOffHasNoEffect) {
    std::vector<std::vector<FaceBox>> frames = walk(30, 1, 0);
    frames[15][0].box = {155, 215, 20, 20};  // too small
    const std::vector<FramePlan> plans = plan_all(frames);
    EXPECT_TRUE(covers(plans[15].regions[0].box, {145, 200, 40, 40}));
}

TEST(RedactPlan, WidensTheVisiblePartOfAFace) {
    PlanOptions options;
    options.min_aspect = 0.8F;
    const FaceBox narrow{-1, {100, 100, 20, 40}, 1, true};
    const FaceBox tracked{1, {300, 100, 20, 40}, 1, true};
    const FaceBox square = face(2, 500, 100);
    RedactPlanner planner(kWidth, kHeight, options);
    const std::vector<FramePlan> plans = plan_all(planner, {{narrow, tracked, square}});
    ASSERT_EQ(plans.at(0).regions.size(), 3U);
    const Box wide{94, 100, 32, 40};
    EXPECT_TRUE(covers(plans[0].regions[0].box, wide) && covers(wide, plans[0].regions[0].box));
    EXPECT_EQ(plans[0].regions[1].box.w, 32);
    EXPECT_EQ(plans[0].regions[2].box.w, 40);
    EXPECT_EQ(planner.tracks().at(0).best_box.w, 20) << "the report has the box of the detector";
}

TEST(RedactPlan, HidesWhatHasNoTrackInItsFrame) {
    const std::vector<FramePlan> plans = plan_all({{}, {face(-1, 10, 10)}, {}});
    EXPECT_TRUE(plans[0].regions.empty());
    ASSERT_EQ(plans[1].regions.size(), 1U);
    EXPECT_EQ(plans[1].regions[0].track, -1);
    EXPECT_TRUE(plans[2].regions.empty());
}

TEST(RedactPlan, IgnoresThePredictionsOfTheTracker) {
    FaceBox predicted = face(1, 10, 10);
    predicted.detected = false;
    EXPECT_TRUE(plan_all({{predicted}})[0].regions.empty());
}

TEST(RedactPlan, HidesAFrameWholeThatCannotBeJudged) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const Box box : {Box{kNan, 0, 1, 1}, Box{0, 0, kInfinity, 1}, Box{0, 0, 0, 5}, Box{0, 0, 5, -1}}) {
        for (const std::int64_t track : {-1, 4}) {
            const std::vector<FramePlan> plans = plan_all({{}, {{track, box, 1, true}}, {}});
            EXPECT_FALSE(plans[0].whole);
            EXPECT_TRUE(plans[1].whole);
            EXPECT_TRUE(plans[1].to_hide().whole);
            EXPECT_FALSE(plans[2].whole);
        }
    }
    RedactPlanner planner(kWidth, kHeight);
    planner.push({}, true);
    planner.push({});
    planner.finish();
    EXPECT_TRUE(planner.pop()->whole);
    EXPECT_FALSE(planner.pop()->whole);
    EXPECT_FALSE(planner.pop().has_value());
}

TEST(RedactPlan, DecidesAFrameAfterTheDelay) {
    PlanOptions options;
    options.delay = 3;
    RedactPlanner planner(kWidth, kHeight, options);
    for (int i = 0; i < 10; ++i) {
        planner.push({face(1, 100, 100)});
        const std::optional<FramePlan> plan = planner.pop();
        ASSERT_EQ(plan.has_value(), i >= 3) << i;
        if (plan) {
            EXPECT_EQ(plan->number, i - 3);
        }
        EXPECT_FALSE(planner.pop().has_value());
    }
    planner.finish();
    for (int i = 7; i < 10; ++i) EXPECT_EQ(planner.pop()->number, i);
    EXPECT_FALSE(planner.pop().has_value());
}

// Every detection is hidden in its frame, whatever the tracks do; a delay longer than any gap gives the same regions as
// the whole sequence.
TEST(RedactPlan, RandomTracksAreCovered) {
    std::mt19937_64 random(test::seed(21));
    for (std::size_t n = 0; n < test::case_count(30); ++n) {
        std::vector<std::vector<FaceBox>> frames(120);
        for (std::int64_t track = 0; track < 12; ++track) {
            std::uniform_real_distribution<float> place(-30, 600);
            std::uniform_real_distribution<float> speed(-6, 6);
            std::uniform_real_distribution<float> noise(-4, 4);
            const Box start{place(random), place(random), 20 + std::abs(place(random)) / 4, 50};
            const float speed_x = speed(random);
            const float speed_y = speed(random);
            for (std::size_t i = random() % 100; i < 120; ++i) {
                if (random() % 3 == 0) continue;
                const auto time = static_cast<float>(i);
                frames[i].push_back(
                    {track,
                     {start.x + speed_x * time + noise(random), start.y + speed_y * time + noise(random),
                      start.w + noise(random), start.h + noise(random)},
                     0.5F,
                     true});
            }
        }
        const std::vector<FramePlan> whole = plan_all(frames);
        PlanOptions options;
        options.delay = 119;
        const std::vector<FramePlan> delayed = plan_all(frames, options);
        ASSERT_EQ(whole.size(), frames.size());
        ASSERT_EQ(delayed.size(), frames.size());
        for (std::size_t i = 0; i < frames.size(); ++i) {
            for (const FaceBox& box : frames[i]) {
                const auto hidden = [&](const PlannedRegion& region) {
                    return region.track == box.track && covers(region.box, box.box);
                };
                EXPECT_TRUE(std::any_of(whole[i].regions.begin(), whole[i].regions.end(), hidden)) << i;
            }
            EXPECT_EQ(whole[i].regions.size(), delayed[i].regions.size());
        }
    }
}

// Tracks begin, end and continue all over a long sequence. Each has the regions that it has alone.
TEST(RedactPlan, PlansManyTracksAsEachAlone) {
    constexpr std::size_t kFrames = 500;
    std::mt19937_64 random(test::seed(22));
    for (std::size_t n = 0; n < test::case_count(10); ++n) {
        const std::size_t num_tracks = 40;
        std::vector<std::vector<std::vector<FaceBox>>> alone(num_tracks, std::vector<std::vector<FaceBox>>(kFrames));
        std::vector<std::vector<FaceBox>> frames(kFrames);
        for (std::size_t track = 0; track < num_tracks; ++track) {
            const auto id = static_cast<std::int64_t>(track * 17 % num_tracks);  // not in the order of time
            for (std::size_t i = random() % kFrames; i < kFrames; ++i) {
                if (random() % 8 == 0) i += random() % 80;  // about the longest gap that is filled
                if (random() % 30 == 0 || i >= kFrames) break;
                const auto x = static_cast<float>(random() % 600);
                alone[track][i].push_back(face(id, x, static_cast<float>(random() % 440)));
                frames[i].push_back(alone[track][i].back());
            }
        }
        for (const int delay : {PlanOptions::kWholeSequence, 8}) {
            PlanOptions options;
            options.delay = delay;
            options.min_extended = 1;  // with a delay, the number of detections is not known before
            const std::vector<FramePlan> together = plan_all(frames, options);
            std::vector<std::map<std::int64_t, Box>> expected(kFrames);
            for (const auto& track : alone) {
                RedactPlanner planner(kWidth, kHeight, options);
                const std::vector<FramePlan> plans = plan_all(planner, track);
                for (std::size_t i = 0; i < kFrames; ++i) {
                    for (const PlannedRegion& region : plans[i].regions) expected[i][region.track] = region.box;
                }
            }
            ASSERT_EQ(together.size(), kFrames);
            for (std::size_t i = 0; i < kFrames; ++i) {
                ASSERT_EQ(together[i].regions.size(), expected[i].size()) << "frame " << i << ", delay " << delay;
                auto next = expected[i].begin();
                for (const PlannedRegion& region : together[i].regions) {
                    EXPECT_EQ(region.track, next->first);
                    EXPECT_EQ(region.box.x, next->second.x);
                    EXPECT_EQ(region.box.w, next->second.w);
                    ++next;
                }
            }
        }
    }
}

TEST(RedactPlan, ForgetsTracksOfALiveImage) {
    PlanOptions options;
    options.delay = 8;
    RedactPlanner live(kWidth, kHeight, options);
    RedactPlanner whole(kWidth, kHeight);
    for (int i = 0; i < 3000; ++i) {
        const FaceBox box = face(i / 10, 100, 100);  // a new track every 10 frames
        live.push({box});
        whole.push({box});
        static_cast<void>(live.pop());
    }
    EXPECT_LT(live.tracks().size(), 10U);
    whole.finish();
    while (whole.pop()) continue;
    EXPECT_EQ(whole.tracks().size(), 300U);
}

// Returns the processor time of a plan over one track at the edge, in seconds: the least of three.
double time_of_track(std::size_t frames) {
    std::vector<std::vector<FaceBox>> track(frames);
    for (std::size_t i = 0; i < frames; ++i) {
        track[i].push_back(face(7, static_cast<float>(i % 5), 200, 40 + static_cast<float>(i % 3)));
    }
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 3; ++run) {
        const std::clock_t start = std::clock();
        EXPECT_EQ(plan_all(track).size(), frames);
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

// A person in front of a camera for an hour is one track. A time per frame that grows with the track would make the
// longer one 256 times as slow.
TEST(RedactPlan, TakesTheSameTimePerFrameOfAnyTrack) {
    const double before = time_of_track(2000);
    EXPECT_LT(time_of_track(16 * 2000), 16 * 5 * before);
}

TEST(RedactPlan, SummarizesTracks) {
    std::vector<std::vector<FaceBox>> frames = walk(60, 20, 55);
    frames[30].push_back(face(9, 300, 300, 40, 0.2F));
    frames[5][0].score = 3;
    PlanOptions options;
    options.low_score = 0.5F;
    options.max_gap = 60;
    RedactPlanner planner(kWidth, kHeight, options);
    static_cast<void>(plan_all(planner, frames));
    const std::vector<TrackSummary> tracks = planner.tracks();
    ASSERT_EQ(tracks.size(), 2U);
    EXPECT_EQ(tracks[0].track, 7);
    EXPECT_EQ(tracks[0].first, 0);
    EXPECT_EQ(tracks[0].last, 59);
    EXPECT_EQ(tracks[0].num_detected, 24);
    EXPECT_EQ(tracks[0].num_filled, 36);
    EXPECT_EQ(tracks[0].longest_gap, 36);
    EXPECT_EQ(tracks[0].best_frame, 5);
    EXPECT_FALSE(tracks[0].is_short);
    EXPECT_TRUE(tracks[0].has_long_gap);
    EXPECT_TRUE(tracks[0].doubtful());
    EXPECT_TRUE(tracks[1].is_short);
    EXPECT_TRUE(tracks[1].has_low_score);
    EXPECT_FALSE(tracks[1].has_long_gap);
}

}  // namespace
}  // namespace throng
