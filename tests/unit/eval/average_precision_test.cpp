#include "core/eval/average_precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "tests/support/random.h"

namespace throng {
namespace {

TruthFace face(float x, float y, float size, bool ignore = false) {
    return {{x, y, size, size}, 1, ignore};
}
ScoredBox found(float x, float y, float size, double score, int hits = 1) {
    return {{x, y, size, size}, score, hits};
}

TEST(IntersectionOverUnion, MatchesHandComputedValues) {
    EXPECT_DOUBLE_EQ(intersection_over_union({0, 0, 10, 10}, {0, 0, 10, 10}), 1.0);
    EXPECT_DOUBLE_EQ(intersection_over_union({0, 0, 10, 10}, {5, 0, 10, 10}), 50.0 / 150.0);
    EXPECT_DOUBLE_EQ(intersection_over_union({0, 0, 10, 10}, {2, 2, 5, 5}), 0.25);
    EXPECT_DOUBLE_EQ(intersection_over_union({0, 0, 10, 10}, {10, 0, 10, 10}), 0.0);
    EXPECT_DOUBLE_EQ(intersection_over_union({0, 0, 10, 10}, {50, 50, 1, 1}), 0.0);
}

TEST(Match, MatchesEveryFaceOnce) {
    const std::vector<TruthFace> truth{face(0, 0, 10), face(100, 0, 10), face(200, 0, 10)};
    // By decreasing score: correct, on no face, correct, a second detection of a face.
    const MatchResult r =
        match(truth, {found(0, 1, 10, 0.9), found(50, 50, 10, 0.8), found(100, 0, 11, 0.7), found(1, 0, 10, 0.6)}, {});
    EXPECT_EQ(r.faces, 3);
    EXPECT_EQ(r.correct, 2);
    EXPECT_EQ(r.wrong, 2);
    EXPECT_DOUBLE_EQ(*precision(r), 0.5);
    EXPECT_DOUBLE_EQ(*recall(r), 2.0 / 3.0);
    // Precision 1, 1/2, 2/3, 1/2 at recall 1/3, 1/3, 2/3, 2/3.
    EXPECT_DOUBLE_EQ(*average_precision(r), 1.0 / 3.0 * 1.0 + 1.0 / 3.0 * 2.0 / 3.0);
}

TEST(Match, HigherScoresAreAssignedTheBestUnassignedFaceFirst) {
    const std::vector<TruthFace> truth{face(0, 0, 10), face(3, 0, 10)};
    // The second detection overlaps the first face most, but that face is already assigned.
    MatchOptions options;
    options.iou = 0.4;
    const MatchResult r = match(truth, {found(1, 0, 10, 1), found(0, 0, 10, 2)}, options);
    EXPECT_EQ(r.correct, 2);
    EXPECT_EQ(r.wrong, 0);
}

TEST(Match, AcceptsAnOverlapEqualToTheThreshold) {
    MatchOptions options;
    options.iou = 0.25;
    EXPECT_EQ(match({face(0, 0, 10)}, {found(2, 2, 5, 1)}, options).correct, 1);
    options.iou = 0.2500001;
    EXPECT_EQ(match({face(0, 0, 10)}, {found(2, 2, 5, 1)}, options).correct, 0);
}

TEST(Match, IgnoredFacesAreNotCounted) {
    const std::vector<TruthFace> truth{face(0, 0, 10, true), face(100, 0, 10)};
    // Two on the ignored face, one completely inside it, one correct, one on no face.
    const MatchResult r = match(
        truth, {found(0, 0, 10, 5), found(1, 0, 10, 4), found(2, 2, 3, 3), found(100, 0, 10, 2), found(40, 0, 9, 1)},
        {});
    EXPECT_EQ(r.faces, 1);
    EXPECT_EQ(r.correct, 1);
    EXPECT_EQ(r.wrong, 1);
    EXPECT_EQ(r.ignored, 3);
    EXPECT_DOUBLE_EQ(*average_precision(r), 1.0);
}

TEST(Match, IgnoresSmallFacesAndDetections) {
    MatchOptions options;
    options.min_size = 20;
    const std::vector<TruthFace> truth{face(0, 0, 19), face(100, 0, 20)};
    // On the small face; small and on no face; small but correct.
    const MatchResult r = match(truth, {found(0, 0, 21, 3), found(60, 0, 10, 2), found(100, 0, 19, 1)}, options);
    EXPECT_EQ(r.faces, 1);
    EXPECT_EQ(r.correct, 1);
    EXPECT_EQ(r.wrong, 0);
    EXPECT_EQ(r.ignored, 2);
}

TEST(Match, RanksByHits) {
    const std::vector<ScoredBox> detections{found(50, 50, 10, 9, 1), found(0, 0, 10, 1, 7)};
    MatchOptions options;
    EXPECT_DOUBLE_EQ(*average_precision(match({face(0, 0, 10)}, detections, options)), 0.5);
    options.rank = Rank::hits;
    EXPECT_DOUBLE_EQ(*average_precision(match({face(0, 0, 10)}, detections, options)), 1.0);
    options.rank = Rank::score_times_hits;
    EXPECT_DOUBLE_EQ(*average_precision(match({face(0, 0, 10)}, detections, options)), 0.5);
    EXPECT_GT(rank_of(found(0, 0, 1, 2, 3), Rank::hits), rank_of(found(0, 0, 1, 1, 3), Rank::hits));
    EXPECT_GT(rank_of(found(0, 0, 1, -1e30, 4), Rank::hits), rank_of(found(0, 0, 1, 1e30, 3), Rank::hits));
}

TEST(AveragePrecision, EqualRanksFormOnePoint) {
    MatchResult r;
    r.faces = 2;
    r.outcomes = {{1, true}, {1, false}, {1, true}};
    EXPECT_EQ(precision_recall_curve(r).size(), 1U);
    EXPECT_DOUBLE_EQ(*average_precision(r), 2.0 / 3.0);
    std::reverse(r.outcomes.begin(), r.outcomes.end());
    EXPECT_DOUBLE_EQ(*average_precision(r), 2.0 / 3.0);
}

TEST(AveragePrecision, HandlesEdgeCases) {
    EXPECT_FALSE(average_precision({}).has_value());
    EXPECT_FALSE(recall({}).has_value());
    EXPECT_FALSE(precision({}).has_value());
    MatchResult missed;
    missed.faces = 3;
    EXPECT_DOUBLE_EQ(*average_precision(missed), 0.0);
    EXPECT_DOUBLE_EQ(*recall(missed), 0.0);
}

TEST(MatchOptions, RejectsValuesOutOfRange) {
    for (const double iou : {0.0, -1.0, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
        MatchOptions options;
        options.iou = iou;
        EXPECT_THROW(check_options(options), Error) << iou;
    }
    MatchOptions options;
    options.min_size = -1;
    EXPECT_THROW(check_options(options), Error);
}

// The same definitions implemented differently: all detections are counted again for each threshold.
MatchResult plain_match(std::vector<TruthFace> truth, std::vector<ScoredBox> detections, double iou) {
    MatchResult r;
    for (const TruthFace& t : truth) r.faces += t.ignore ? 0 : 1;
    while (!detections.empty()) {
        auto best = detections.begin();
        for (auto d = detections.begin(); d != detections.end(); ++d) {
            if (d->score > best->score) best = d;
        }
        auto target = truth.end();
        double overlap = -1;
        bool excused = false;
        for (auto t = truth.begin(); t != truth.end(); ++t) {
            const double o = intersection_over_union(t->box, best->box);
            if (t->ignore) {
                const double both =
                    static_cast<double>(best->box.w * best->box.h) + static_cast<double>(t->box.w * t->box.h);
                const double common = std::round(o * both / (1 + o));  // all boxes are integers
                excused = excused || o >= iou || common > 0.5 * static_cast<double>(best->box.w * best->box.h);
            } else if (o >= iou && o > overlap) {
                target = t;
                overlap = o;
            }
        }
        if (target != truth.end()) truth.erase(target);
        if (overlap >= 0) ++r.correct;
        if (overlap < 0 && !excused) ++r.wrong;
        if (overlap < 0 && excused) ++r.ignored;
        if (overlap >= 0 || !excused) r.outcomes.push_back({best->score, overlap >= 0});
        detections.erase(best);
    }
    return r;
}

double plain_average_precision(const MatchResult& r) {
    double sum = 0;
    for (std::int64_t k = 1; k <= r.faces; ++k) {  // recall k / faces
        double best = 0;
        for (const RankedOutcome& limit : r.outcomes) {
            std::int64_t correct = 0;
            std::int64_t all = 0;
            for (const RankedOutcome& o : r.outcomes) {
                if (o.rank < limit.rank) continue;
                ++all;
                correct += o.correct ? 1 : 0;
            }
            if (correct >= k) best = std::max(best, static_cast<double>(correct) / static_cast<double>(all));
        }
        sum += best / static_cast<double>(r.faces);
    }
    return sum;
}

TEST(AveragePrecision, AgreesWithTheReference) {
    std::mt19937_64 random(test::seed(20));
    const auto between = [&random](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    for (int iteration = 0; iteration < 200; ++iteration) {
        std::vector<TruthFace> truth;
        std::vector<ScoredBox> detections;
        const int range = between(20, 120);
        for (int i = between(0, 12); i > 0; --i) {
            truth.push_back(face(static_cast<float>(between(0, range)), static_cast<float>(between(0, range)),
                                 static_cast<float>(between(8, 24)), between(0, 4) == 0));
        }
        for (int i = between(0, 30); i > 0; --i) {
            // Few distinct scores give many ties.
            detections.push_back(found(static_cast<float>(between(0, range)), static_cast<float>(between(0, range)),
                                       static_cast<float>(between(8, 24)), between(0, 9)));
        }
        MatchOptions options;
        options.iou = 0.1 * between(1, 7) + 0.013;  // no overlap of integer boxes equals it
        const MatchResult ours = match(truth, detections, options);
        const MatchResult plain = plain_match(truth, detections, options.iou);
        ASSERT_EQ(ours.faces, plain.faces) << "iteration " << iteration;
        ASSERT_EQ(ours.correct, plain.correct) << "iteration " << iteration;
        ASSERT_EQ(ours.wrong, plain.wrong) << "iteration " << iteration;
        ASSERT_EQ(ours.ignored, plain.ignored) << "iteration " << iteration;
        if (ours.faces == 0) continue;
        ASSERT_NEAR(*average_precision(ours), plain_average_precision(plain), 1e-12) << "iteration " << iteration;
    }
}

}  // namespace
}  // namespace throng
