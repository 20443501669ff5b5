// The modes that other libraries use: IoU above the threshold, order by index, and torchvision's treatment of invalid
// boxes. The expected results come from the definitions written as plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/cpu/corner_nms.h"
#include "core/cpu/nms.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_run.h"
#include "tests/support/random.h"
#include "tests/support/torchvision_nms.h"

namespace throng::test {
namespace {

std::vector<std::int32_t> kept_sources(const NmsOutput& out) {
    std::vector<std::int32_t> indices;
    for (const Detection& detection : out.kept) indices.push_back(detection.source);
    return indices;
}

NmsParams hard(NmsRule rule, float theta) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    return params;
}

TEST(NmsCompare, AThresholdOfExactlyTheOverlapSuppressesOnlyWithAtLeast) {
    const NmsInput input{{{0, 0, 10, 10}, {0, 0, 10, 5}}, {0.9F, 0.8F}, {}, {}, 0};  // IoU 0.5
    NmsParams params = hard(NmsRule::greedy, 0.5F);
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{0}));
    params.compare = Compare::above;
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{0, 1}));
    params.theta = std::nextafter(0.5F, 0.0F);
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{0}));
}

TEST(NmsCompare, AboveZeroKeepsDisjointBoxes) {
    const NmsInput input{{{0, 0, 10, 10}, {10, 0, 10, 10}, {19.5F, 0, 10, 10}}, {0.9F, 0.8F, 0.7F}, {}, {}, 0};
    NmsParams params = hard(NmsRule::greedy, 0.0F);
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{0}));
    params.compare = Compare::above;
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{0, 1}));
}

TEST(NmsTies, IndexOrdersEqualScoresAsTheInput) {
    const NmsInput input{{{0, 0, 9, 9}, {0, 0, 10, 10}, {50, 0, 9, 9}}, {0.5F, 0.5F, 0.5F}, {}, {}, 0};
    NmsParams params = hard(NmsRule::greedy, 0.3F);
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{1, 2}));
    params.ties = Ties::index;
    EXPECT_EQ(kept_sources(run_host_nms(*make_cpu_nms(1), input, params)), (std::vector<std::int32_t>{0, 2}));
}

TEST(NmsParamsCheck, RejectsModesThatContradictTheRule) {
    NmsParams params = hard(NmsRule::soft_linear, 0.3F);
    params.compare = Compare::above;
    EXPECT_THROW(check_params(params), Error);
    params.compare = Compare::at_least;
    params.ties = Ties::index;
    EXPECT_THROW(check_params(params), Error);
    params = hard(NmsRule::greedy, 0.3F);
    params.pair = PairRule::adaptive;
    params.compare = Compare::above;
    EXPECT_THROW(check_params(params), Error);
}

// Compares every pair with the threshold as the mode defines it.
TEST(NmsModesRandom, EngineEqualsTheDefinition) {
    Random random(seed(41));
    const auto nms = make_cpu_nms(2);
    for (std::size_t trial = 0; trial < case_count(3000); ++trial) {
        const NmsInput input = random_nms_input(random, random() % (trial % 100 == 0 ? 700 : 60));
        NmsParams params = random_nms_params(random);
        if (is_soft(params.rule)) continue;
        params.pair = PairRule::overlap;
        params.merge = Merge::none;
        params.min_hits = 1;
        if (trial % 2 == 0) params.compare = Compare::above;
        if (trial % 3 != 0) params.ties = Ties::index;

        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < input.boxes.size(); ++i) {
            if (is_valid_detection(input.boxes[i], input.scores[i])) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (params.ties == Ties::index) return input.scores[a] > input.scores[b];
            return precedes(input.boxes[a], input.scores[a], a, input.boxes[b], input.scores[b], b);
        });
        const auto suppresses = [&](std::uint32_t j, std::uint32_t i) {
            if (params.ties == Ties::strict && !(input.scores[j] > input.scores[i])) return false;
            const float o = pair_overlap(params.overlap, input.boxes[i], input.boxes[j], pixel_extent(params.pixels));
            return params.compare == Compare::above ? o > params.theta : o >= params.theta;
        };
        std::vector<std::int32_t> expected;
        std::vector<std::uint32_t> suppressors;
        for (const std::uint32_t i : order) {
            const bool kept =
                std::none_of(suppressors.begin(), suppressors.end(), [&](std::uint32_t j) { return suppresses(j, i); });
            if (kept) expected.push_back(static_cast<std::int32_t>(i));
            if (kept || params.rule == NmsRule::one_pass) suppressors.push_back(i);
        }
        ASSERT_EQ(kept_sources(run_host_nms(*nms, input, params)), expected) << "trial " << trial;
    }
}

template <class Real>
void compare_with_torchvision(std::uint64_t first_seed) {
    Random random(seed(first_seed));
    CornerNms<Real> nms;
    for (std::size_t trial = 0; trial < case_count(4000); ++trial) {
        const std::size_t n = random() % (trial % 50 == 0 ? 1500 : 60);
        const NmsInput input = trial % 4 == 0 ? clusters_input(random, n, 10) : random_nms_input(random, n);
        std::vector<Real> corners;
        std::vector<Real> scores;
        std::vector<std::uint32_t> groups;
        // Far from 0, float32 holds the boxes coarsely or not at all.
        const auto shift = static_cast<Real>(trial % 5 == 0 ? 5e5 : trial % 5 == 1 ? 1e9 : 0.0);
        for (std::size_t i = 0; i < input.boxes.size(); ++i) {
            const Box& box = input.boxes[i];
            const Real x = static_cast<Real>(box.x) + shift;
            const Real y = static_cast<Real>(box.y) - shift;
            corners.insert(corners.end(), {x, y, x + static_cast<Real>(box.w), y + static_cast<Real>(box.h)});
            if (random() % 40 == 0) corners[i * 4 + random() % 4] = std::numeric_limits<Real>::quiet_NaN();
            if (random() % 40 == 0) corners[i * 4 + random() % 4] = std::numeric_limits<Real>::infinity();
            if (random() % 40 == 0) std::swap(corners[i * 4], corners[i * 4 + 2]);
            scores.push_back(static_cast<Real>(input.scores[i]));
            groups.push_back(static_cast<std::uint32_t>(random() % 3));
        }
        if (trial % 2 == 0) groups.clear();
        const double thresholds[] = {0.0, 0.3, 0.5, 0.7, 1.0, std::uniform_real_distribution<double>(0, 1)(random)};
        const double theta = thresholds[random() % 6];
        const std::vector<IndexAndHits> expected = torchvision_nms(corners, scores, groups, theta);
        nms.run({corners.data(), scores.data(), groups.empty() ? nullptr : groups.data(), 3,
                 static_cast<std::uint32_t>(scores.size())},
                theta);
        std::vector<IndexAndHits> out;
        for (std::size_t k = 0; k < nms.kept().size(); ++k) out.emplace_back(nms.kept()[k], nms.hits()[k]);
        ASSERT_EQ(out, expected) << "trial " << trial << ", theta " << theta;
    }
}

TEST(CornerNmsRandom, FloatEqualsTorchvisionsLoops) {
    compare_with_torchvision<float>(51);
}
TEST(CornerNmsRandom, DoubleEqualsTorchvisionsLoops) {
    compare_with_torchvision<double>(52);
}

// Boxes without extent are all kept, so that the result is the order. Large inputs are sorted in several runs.
template <class Real>
void compare_orders(std::uint64_t first_seed) {
    Random random(seed(first_seed));
    CornerNms<Real> nms;
    for (const std::uint32_t n : {1U << 17, (1U << 17) + 1, 3U << 17, 400'001U}) {
        const std::vector<Real> corners(std::size_t{n} * 4, 0);
        std::vector<Real> scores(n);
        for (Real& score : scores) score = static_cast<Real>(random() % 1000);  // with ties
        scores[n / 2] = std::numeric_limits<Real>::quiet_NaN();
        std::vector<std::uint32_t> expected(n);
        std::iota(expected.begin(), expected.end(), 0U);
        std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::isnan(scores[a]) ? !std::isnan(scores[b]) : scores[a] > scores[b];
        });
        nms.run({corners.data(), scores.data(), nullptr, 1, n}, 0.5);
        EXPECT_TRUE(nms.kept() == expected) << n;
    }
}

TEST(CornerNmsRandom, LargeInputsAreInStableOrder) {
    compare_orders<float>(53);
    compare_orders<double>(54);
}

}  // namespace
}  // namespace throng::test
