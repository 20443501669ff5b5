#include "core/redact/hiding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/detect/detector_kinds.h"
#include "tests/support/random.h"

namespace throng {
namespace {

TEST(HidingParams, TrackAsTheDetectorNeedsItAndFromAnyScore) {
    for (const DetectorKind& kind : detector_kinds()) {
        SCOPED_TRACE(kind.name);
        const HidingParams params = hiding_params(kind.id());
        EXPECT_EQ(params.plan.delay, kLiveDelay);
        EXPECT_EQ(params.tracker.confident_score, std::numeric_limits<float>::lowest());
        TrackerParams expected = tracker_params(kind.id());
        EXPECT_GE(params.tracker.confident_hits, expected.confident_hits);
        expected.confident_score = params.tracker.confident_score;
        expected.confident_hits = params.tracker.confident_hits;
        EXPECT_EQ(params.tracker, expected);
        EXPECT_EQ(params.threshold_fraction < 1, kind.is_network()) << "its scores are cut at a threshold";
        EXPECT_EQ(params.faces.has_value(), kind.faces.has_value());
        if (kind.faces) {
            const HidingParams faces = hiding_params(*kind.faces);
            EXPECT_EQ(params.faces->plan, faces.plan);
            EXPECT_EQ(params.faces->tracker, faces.tracker);
            EXPECT_GE(params.redact.margin, faces.redact.margin) << "both have this margin";
        }
        const HidingParams strict = strict_hiding_params(kind.id());
        EXPECT_EQ(strict.tracker.confident_hits, 1);
        ASSERT_TRUE(strict.search.has_value());
        EXPECT_EQ(strict.search->detector, kind.params);
        EXPECT_EQ(strict.search->nms, kind.nms);
        EXPECT_EQ(strict.redact, params.redact);
        // What another detector shows is hidden as widely as if that one hid it.
        float widest = 0;
        for (const DetectorKind& each : detector_kinds()) {
            widest = std::max(widest, hiding_params(each.id()).redact.margin);
        }
        const Box shown = shown_box({{100, 50, 40, 20}, 0.5F, 3, 0}, strict).box;
        EXPECT_NEAR(shown.w * (1 + 2 * strict.redact.margin), 40 * (1 + 2 * widest), 1e-3);
        EXPECT_NEAR(shown.h * (1 + 2 * strict.redact.margin), 20 * (1 + 2 * widest), 1e-3);
        EXPECT_NEAR(shown.x + shown.w / 2, 120, 1e-4);
        EXPECT_NEAR(shown.y + shown.h / 2, 60, 1e-4);
    }
}

// Windows of a cascade are smaller than a face. A network finds the visible part of one that others cover.
TEST(HidingParams, FitWhatTheDetectorReports) {
    const HidingParams haar = hiding_params(DetectorId::haar), cnn = hiding_params(DetectorId::cnn);
    const HidingParams hog = hiding_params(DetectorId::hog), person = hiding_params(DetectorId::person);
    EXPECT_GT(haar.redact.margin, cnn.redact.margin);
    EXPECT_EQ(person.redact.margin, cnn.redact.margin);
    EXPECT_LT(hog.redact.margin, person.redact.margin);
    EXPECT_GT(cnn.plan.min_aspect, 0);
    EXPECT_EQ(haar.plan.min_aspect, 0);
    EXPECT_GT(haar.plan.extension, cnn.plan.extension);
    EXPECT_LT(haar.plan.growth, cnn.plan.growth);
    EXPECT_EQ(lookahead_params(cnn).linked, false);
    HidingParams whole = hiding_params(DetectorId::face_and_person);
    whole.plan.delay = PlanOptions::kWholeSequence;
    const LookaheadParams params = lookahead_params(whole);
    EXPECT_TRUE(params.linked);
    ASSERT_EQ(params.faces.size(), 1U);
    EXPECT_TRUE(params.faces.front().linked);
    EXPECT_EQ(params.faces.front().plan->delay, PlanOptions::kWholeSequence);
}

// Whatever the tracks do, a detection is hidden once: with its track or alone.
TEST(Lookahead, EachDetectionIsHiddenExactlyOnce) {
    std::mt19937_64 random(test::seed(62));
    for (std::size_t round = test::case_count(10); round > 0; --round) {
        HidingParams hiding = hiding_params(DetectorId::haar);
        if (round % 2 == 0) hiding.plan.delay = PlanOptions::kWholeSequence;
        Lookahead lookahead(lookahead_params(hiding));
        std::vector<std::vector<float>> scores(40);  // of what is hidden in any case
        std::vector<FramePlan> plans;
        const auto take = [&] {
            while (auto decision = lookahead.pop()) plans.push_back(std::move(decision->plan));
        };
        float score = 0;
        for (std::size_t f = 0; f < scores.size(); ++f) {
            std::vector<Detection> kept, candidates;
            for (int i = 0; i < 8; ++i) {
                if (random() % 4 == 0) continue;
                score += 1.0F / 1024;  // each has its own
                const Box box{static_cast<float>(80 * i + static_cast<int>(random() % 6)),
                              static_cast<float>(100 + 2 * f + random() % 6), 50, 50};
                const auto hits = static_cast<std::int32_t>(1 + random() % 12);
                (random() % 3 == 0 ? candidates : kept).push_back({box, score, hits, -1});
                scores[f].push_back(score);
            }
            const auto by_score = [](const Detection& a, const Detection& b) { return a.score > b.score; };
            std::sort(kept.begin(), kept.end(), by_score);
            std::sort(candidates.begin(), candidates.end(), by_score);
            LookaheadInput input;
            input.kept = kept;
            input.candidates = candidates;
            input.num_unconfident = candidates.size();
            input.source = "a";
            input.width = 700;
            input.height = 480;
            input.seconds = static_cast<double>(f) / 30;
            lookahead.push(std::move(input));
            take();
        }
        lookahead.finish();
        take();
        ASSERT_EQ(plans.size(), scores.size());
        for (std::size_t f = 0; f < plans.size(); ++f) {
            std::vector<float> found;
            for (const PlannedRegion& region : plans[f].regions) {
                if (region.reason == RegionReason::detected) found.push_back(region.score);
            }
            std::sort(found.begin(), found.end());
            EXPECT_EQ(found, scores[f]) << "frame " << f;
        }
    }
}

}  // namespace
}  // namespace throng
