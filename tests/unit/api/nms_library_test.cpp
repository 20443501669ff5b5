// libthrong_nms through its C interface, against definitions written as plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/api/throng_nms.h"
#include "tests/support/forked.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_oracle.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/torchvision_nms.h"

namespace throng::test {
namespace {

class NmsLibrary : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(throng_nms_create(&nms_, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK) << throng_nms_error(nullptr);
    }
    void TearDown() override { throng_nms_destroy(nms_); }

    // Runs with every output and checks that they agree. Kept boxes with their hits and scores are in members.
    void run(const throng_nms_params& params, throng_nms_input input) {
        const auto n = static_cast<std::size_t>(input.num_boxes);
        indices_.assign(n, -1);
        hits_.assign(n, -1);
        scores_.assign(n, -1);
        std::vector<std::uint8_t> mask(n, 7);
        std::int64_t count = -1;
        throng_nms_output output = throng_nms_output_default();
        output.capacity = input.num_boxes;
        output.indices = indices_.data();
        output.hits = hits_.data();
        output.scores = scores_.data();
        output.mask = mask.data();
        output.count = &count;
        output.invalid = &invalid_;
        ASSERT_EQ(throng_nms_run(nms_, &params, &input, &output, nullptr, 0, nullptr), THRONG_OK)
            << throng_nms_error(nms_);
        EXPECT_STREQ(throng_nms_error(nms_), "");
        ASSERT_LE(count, input.num_boxes);
        indices_.resize(static_cast<std::size_t>(count));
        hits_.resize(indices_.size());
        scores_.resize(indices_.size());
        std::vector<std::uint8_t> expected_mask(n, 0);
        for (const std::int64_t index : indices_) expected_mask.at(static_cast<std::size_t>(index)) = 1;
        EXPECT_EQ(mask, expected_mask);
    }

    throng_status status_of(const throng_nms_params& params, const throng_nms_input& input,
                            const throng_nms_output& output) {
        return throng_nms_run(nms_, &params, &input, &output, nullptr, 0, nullptr);
    }

    throng_nms* nms_ = nullptr;
    std::vector<std::int64_t> indices_;
    std::vector<std::int32_t> hits_;
    std::vector<float> scores_;
    std::int64_t invalid_ = -1;
};

throng_nms_params params_of(const NmsParams& params) {
    throng_nms_params result = throng_nms_params_default();
    result.rule = static_cast<std::int32_t>(params.rule);
    result.overlap = static_cast<std::int32_t>(params.overlap);
    result.pair = static_cast<std::int32_t>(params.pair);
    result.ties = static_cast<std::int32_t>(params.ties);
    result.compare = static_cast<std::int32_t>(params.compare);
    result.pixels = params.pixels == PixelConvention::inclusive ? 1 : 0;
    result.min_hits = params.min_hits;
    result.theta = static_cast<double>(params.theta);
    result.sigma = static_cast<double>(params.sigma);
    result.score_min = static_cast<double>(params.score_min);
    result.feature_low = static_cast<double>(params.feature_low);
    result.feature_high = static_cast<double>(params.feature_high);
    result.feature_distance = static_cast<double>(params.feature_distance);
    return result;
}

throng_nms_input input_of(const NmsInput& in) {
    throng_nms_input input = throng_nms_input_default();
    input.box_format = THRONG_XYWH;
    input.num_boxes = static_cast<std::int64_t>(in.boxes.size());
    input.boxes = in.boxes.data();
    input.scores = in.scores.data();
    input.density = in.density.empty() ? nullptr : in.density.data();
    input.features = in.features.empty() ? nullptr : in.features.data();
    input.feature_size = in.feature_size;
    return input;
}

NmsInput part_of(const NmsInput& in, const std::vector<std::size_t>& members) {
    NmsInput out;
    out.feature_size = in.feature_size;
    const auto size = static_cast<std::size_t>(in.feature_size);
    for (const std::size_t i : members) {
        out.boxes.push_back(in.boxes[i]);
        out.scores.push_back(in.scores[i]);
        if (!in.density.empty()) out.density.push_back(in.density[i]);
        for (std::size_t k = 0; k < size; ++k) out.features.push_back(in.features[i * size + k]);
    }
    return out;
}

TEST_F(NmsLibrary, EveryRuleEqualsTheReference) {
    Random random(seed(61));
    for (std::size_t trial = 0; trial < case_count(5000); ++trial) {
        const NmsInput in = random_nms_input(random, random() % 50);
        NmsParams params = random_nms_params(random);
        params.merge = Merge::none;
        run(params_of(params), input_of(in));
        const NmsOutput expected = reference_nms(in, params);
        ASSERT_EQ(indices_.size(), expected.kept.size()) << "trial " << trial;
        EXPECT_EQ(invalid_, expected.invalid);
        for (std::size_t k = 0; k < indices_.size(); ++k) {
            ASSERT_EQ(indices_[k], expected.kept[k].source) << "trial " << trial << " at " << k;
            ASSERT_EQ(hits_[k], expected.kept[k].hits);
            ASSERT_EQ(scores_[k], expected.kept[k].score);
        }
    }
}

// Limits equal a choice of the input before and of the results after a call without them, whatever the type and the ids.
TEST_F(NmsLibrary, LimitsAreThoseOfTheirDefinition) {
    Random random(seed(63));
    std::size_t with_equal = 0;
    for (std::size_t trial = 0; trial < case_count(1000); ++trial) {
        const NmsInput in = random_nms_input(random, random() % 60);
        NmsParams rules = random_nms_params(random);
        rules.merge = Merge::none;
        throng_nms_params params = random() % 3 == 0 ? throng_nms_params_torchvision() : params_of(rules);
        const std::size_t n = in.boxes.size();
        double threshold = n > 0 && random() % 2 == 0 ? static_cast<double>(in.scores[random() % n]) : 0.4;
        if (std::isnan(threshold)) threshold = 0.4;
        const auto limit = static_cast<std::int32_t>(random() % 6);
        std::vector<std::int64_t> classes(n);
        std::vector<std::int64_t> images(n);
        for (std::size_t i = 0; i < n; ++i) {
            classes[i] = static_cast<std::int64_t>(random() % 3) - 1;
            images[i] = static_cast<std::int64_t>(random() % 2);
        }
        const bool has_classes = random() % 2 == 0;
        const bool has_images = random() % 2 == 0;

        std::vector<std::size_t> above;
        for (std::size_t i = 0; i < n; ++i) {
            if (in.scores[i] > static_cast<float>(threshold)) above.push_back(i);
            with_equal += in.scores[i] == static_cast<float>(threshold) ? 1 : 0;
        }
        const NmsInput part = part_of(in, above);
        const auto ids_of = [&above](const std::vector<std::int64_t>& ids) {
            std::vector<std::int64_t> chosen;
            for (const std::size_t i : above) chosen.push_back(ids[i]);
            return chosen;
        };
        const std::vector<std::int64_t> part_classes = ids_of(classes);
        const std::vector<std::int64_t> part_images = ids_of(images);
        throng_nms_input input = input_of(part);
        input.class_ids = has_classes ? part_classes.data() : nullptr;
        input.image_ids = has_images ? part_images.data() : nullptr;
        ASSERT_NO_FATAL_FAILURE(run(params, input));
        std::vector<std::int64_t> expected;
        std::vector<std::int32_t> expected_hits;
        std::map<std::pair<std::int64_t, std::int64_t>, int> sizes;
        for (std::size_t k = 0; k < indices_.size(); ++k) {
            const std::size_t i = above[static_cast<std::size_t>(indices_[k])];
            int& size = sizes[{has_classes ? classes[i] : 0, has_images ? images[i] : 0}];
            if (limit > 0 && ++size > limit) continue;
            expected.push_back(static_cast<std::int64_t>(i));
            expected_hits.push_back(hits_[k]);
        }
        const std::int64_t expected_invalid = invalid_ + static_cast<std::int64_t>(n - above.size());

        params.score_threshold = threshold;
        params.max_output = limit;
        input = input_of(in);
        input.class_ids = has_classes ? classes.data() : nullptr;
        input.image_ids = has_images ? images.data() : nullptr;
        ASSERT_NO_FATAL_FAILURE(run(params, input));
        ASSERT_EQ(indices_, expected) << "trial " << trial;
        ASSERT_EQ(hits_, expected_hits) << "trial " << trial;
        ASSERT_EQ(invalid_, expected_invalid) << "trial " << trial;
    }
    EXPECT_GT(with_equal, case_count(1000) / 4) << "scores equal to the threshold are tested";
}

// Each group alone by the reference; together in the order of scores, which are distinct here, after the image.
TEST_F(NmsLibrary, ClassesAndImagesAreIndependent) {
    Random random(seed(62));
    for (std::size_t trial = 0; trial < case_count(500); ++trial) {
        const std::size_t n = 1 + random() % 200;
        NmsInput in = clusters_input(random, n, 8);
        for (std::size_t i = 0; i < n; ++i) in.scores[i] = static_cast<float>(i) / 256.0F;
        std::shuffle(in.scores.begin(), in.scores.end(), random);
        const bool wide = trial % 2 == 0;  // ids far apart
        std::vector<std::int32_t> classes(n);
        std::vector<std::int32_t> images(n);
        for (std::size_t i = 0; i < n; ++i) {
            classes[i] = static_cast<std::int32_t>(random() % 4) * (wide ? 500000000 : 1) - 1;
            images[i] = static_cast<std::int32_t>(random() % 3) * (wide ? -700000000 : 1);
        }
        const bool has_classes = trial % 3 != 0;
        const bool has_images = trial % 3 != 1;
        NmsParams params;
        params.theta = 0.4F;
        params.rule = trial % 5 == 0 ? NmsRule::soft_gaussian : NmsRule::greedy;
        throng_nms_input input = input_of(in);
        input.id_dtype = THRONG_INT32;
        input.class_ids = has_classes ? classes.data() : nullptr;
        input.image_ids = has_images ? images.data() : nullptr;
        run(params_of(params), input);

        struct Expected {
            std::int32_t image;
            float score;
            std::int64_t index;
        };
        std::vector<Expected> expected;
        for (std::size_t i = 0; i < n; ++i) {
            const auto same = [&](std::size_t j) {
                return (!has_classes || classes[j] == classes[i]) && (!has_images || images[j] == images[i]);
            };
            std::vector<std::size_t> members;
            for (std::size_t j = 0; j < n; ++j) {
                if (same(j)) members.push_back(j);
            }
            if (members.front() != i) continue;
            for (const Detection& kept : reference_nms(part_of(in, members), params).kept) {
                // Of the first picks of all groups, only the first of all is stored if its score is low.
                const bool first = kept.score == *std::max_element(in.scores.begin(), in.scores.end());
                if (is_soft(params.rule) && !first && kept.score < params.score_min) continue;
                const std::size_t index = members[static_cast<std::size_t>(kept.source)];
                expected.push_back({has_images ? images[index] : 0, kept.score, static_cast<std::int64_t>(index)});
            }
        }
        std::sort(expected.begin(), expected.end(), [](const Expected& a, const Expected& b) {
            return a.image != b.image ? a.image < b.image : a.score > b.score;
        });
        std::vector<std::int64_t> indices;
        for (const Expected& one : expected) indices.push_back(one.index);
        ASSERT_EQ(indices_, indices) << "trial " << trial;
    }
}

template <class Real>
void make_corners(Random& random, std::size_t n, std::vector<Real>& corners, std::vector<Real>& scores) {
    const NmsInput in = random() % 2 == 0 ? clusters_input(random, n, 10) : random_nms_input(random, n);
    for (std::size_t i = 0; i < in.boxes.size(); ++i) {
        const auto x = static_cast<Real>(in.boxes[i].x);
        const auto y = static_cast<Real>(in.boxes[i].y);
        corners.insert(corners.end(),
                       {x, y, x + static_cast<Real>(in.boxes[i].w), y + static_cast<Real>(in.boxes[i].h)});
        scores.push_back(static_cast<Real>(in.scores[i]));
        if (random() % 50 == 0) scores[i] = std::numeric_limits<Real>::quiet_NaN();
        if (random() % 50 == 0) corners[i * 4 + random() % 4] = -std::numeric_limits<Real>::infinity();
        if (random() % 50 == 0) corners[i * 4 + 3] = corners[i * 4 + 1];
    }
}

TEST_F(NmsLibrary, TorchvisionsModeEqualsItsLoops) {
    Random random(seed(63));
    for (std::size_t trial = 0; trial < case_count(2000); ++trial) {
        const std::size_t n = random() % (trial % 100 == 0 ? 1000 : 60);
        throng_nms_params params = throng_nms_params_torchvision();
        const double thresholds[] = {0.0, 0.3, 0.5, 1.0, std::uniform_real_distribution<double>(0, 1)(random)};
        params.theta = thresholds[random() % 5];
        throng_nms_input input = throng_nms_input_default();
        input.num_boxes = static_cast<std::int64_t>(n);
        std::vector<std::int64_t> classes;
        std::vector<std::uint32_t> groups;
        for (std::size_t i = 0; i < n && trial % 2 == 0; ++i) {
            groups.push_back(static_cast<std::uint32_t>(random() % 5));
            classes.push_back((std::int64_t{groups.back()} - 2) << (trial % 4 == 0 ? 60 : 0));
        }
        if (!classes.empty()) input.class_ids = classes.data();
        std::vector<IndexAndHits> expected;
        std::vector<float> floats, float_scores;
        std::vector<double> doubles, double_scores;
        if (trial % 3 == 0) {
            make_corners(random, n, doubles, double_scores);
            expected = torchvision_nms(doubles, double_scores, groups, params.theta);
            input.dtype = THRONG_FLOAT64;
            input.boxes = doubles.data();
            input.scores = double_scores.data();
        } else {
            make_corners(random, n, floats, float_scores);
            expected = torchvision_nms(floats, float_scores, groups, params.theta);
            input.boxes = floats.data();
            input.scores = float_scores.data();
        }
        run(params, input);
        ASSERT_EQ(invalid_, 0);
        std::vector<IndexAndHits> kept;
        for (std::size_t k = 0; k < indices_.size(); ++k) {
            kept.emplace_back(static_cast<std::uint32_t>(indices_[k]), hits_[k]);
        }
        ASSERT_EQ(kept, expected) << "trial " << trial << ", theta " << params.theta;
    }
}

// All 65,536 halves as scores: the order must be that of their values, computed here by ldexp.
TEST_F(NmsLibrary, WidensEveryHalf) {
    std::vector<std::uint16_t> scores(65536);
    std::vector<double> values(65536);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        scores[bits] = static_cast<std::uint16_t>(bits);
        const int exponent = static_cast<int>(bits >> 10U & 0x1FU);
        const double fraction = bits & 0x3FFU;
        double value = exponent == 0    ? std::ldexp(fraction, -24)
                       : exponent == 31 ? (fraction > 0 ? std::nan("") : HUGE_VAL)
                                        : std::ldexp(1024 + fraction, exponent - 25);
        values[bits] = (bits & 0x8000U) != 0 ? -value : value;
    }
    std::vector<std::int64_t> expected(65536);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
        const double p = values[static_cast<std::size_t>(a)];
        const double q = values[static_cast<std::size_t>(b)];
        return (std::isnan(p) && !std::isnan(q)) || p > q;
    });
    const std::vector<std::uint16_t> boxes(4 * scores.size(), 0);  // without extent: all are kept
    throng_nms_input input = throng_nms_input_default();
    input.dtype = THRONG_FLOAT16;
    input.num_boxes = 65536;
    input.boxes = boxes.data();
    input.scores = scores.data();
    run(throng_nms_params_torchvision(), input);
    EXPECT_EQ(indices_, expected);
}

TEST_F(NmsLibrary, HalfBoxesAreWidenedFirst) {
    // 1, 2, 3 as halves: two boxes with an IoU of 1/2.
    const std::uint16_t one = 0x3C00, two = 0x4000, three = 0x4200;
    const std::uint16_t boxes[] = {one, one, three, two, one, one, two, two};
    const std::uint16_t scores[] = {two, one};
    for (const std::int32_t format : {THRONG_CORNERS, THRONG_XYWH}) {
        throng_nms_input input = throng_nms_input_default();
        input.dtype = THRONG_FLOAT16;
        input.box_format = format;
        input.num_boxes = 2;
        input.boxes = boxes;
        input.scores = scores;
        throng_nms_params params = throng_nms_params_torchvision();
        params.theta = 0.49;
        run(params, input);
        EXPECT_EQ(indices_, (std::vector<std::int64_t>{0}));
        params.theta = format == THRONG_CORNERS ? 0.5 : static_cast<double>(2.0F / 3.0F);
        run(params, input);
        EXPECT_EQ(indices_.size(), 2U) << format;
    }
}

TEST_F(NmsLibrary, MatchesTheExpectedResults) {
    for (const NmsOracleCase& one : load_nms_oracle()) {
        for (const NmsExpectation& expectation : one.expectations) {
            run(params_of(expectation.params), input_of(one.input));
            std::vector<Detection> kept;
            for (std::size_t k = 0; k < indices_.size(); ++k) {
                kept.push_back({{}, scores_[k], hits_[k], static_cast<std::int32_t>(indices_[k])});
            }
            EXPECT_EQ(difference(expectation, kept, static_cast<std::uint32_t>(invalid_)), "");
        }
    }
}

TEST_F(NmsLibrary, StoresTheFirstOfMoreThanTheCapacity) {
    const float boxes[] = {0, 0, 1, 1, 5, 5, 6, 6, 9, 9, 10, 10};
    const float scores[] = {0.1F, 0.3F, 0.2F};
    throng_nms_input input = throng_nms_input_default();
    input.num_boxes = 3;
    input.boxes = boxes;
    input.scores = scores;
    std::int32_t indices[3] = {-1, -1, -1};
    std::int32_t count = -1;
    throng_nms_output output = throng_nms_output_default();
    output.index_dtype = THRONG_INT32;
    output.capacity = 2;
    output.indices = indices;
    output.count = &count;
    EXPECT_EQ(status_of(throng_nms_params_default(), input, output), THRONG_OK);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(indices[0], 1);
    EXPECT_EQ(indices[1], 2);
    EXPECT_EQ(indices[2], -1);
}

TEST_F(NmsLibrary, NamesTheArgumentOfBadInput) {
    const float box[] = {0, 0, 1, 1};
    const float score = 1;
    std::int64_t count = 0;
    throng_nms_input good = throng_nms_input_default();
    good.num_boxes = 1;
    good.boxes = box;
    good.scores = &score;
    throng_nms_output out = throng_nms_output_default();
    out.count = &count;
    const throng_nms_params rules = throng_nms_params_default();
    ASSERT_EQ(status_of(rules, good, out), THRONG_OK);

    const auto rejects = [&](const char* name, const auto& change) {
        throng_nms_params params = rules;
        throng_nms_input input = good;
        throng_nms_output output = out;
        change(params, input, output);
        EXPECT_EQ(status_of(params, input, output), THRONG_ERROR_USAGE) << name;
        EXPECT_NE(std::string(throng_nms_error(nms_)).find(name), std::string::npos)
            << name << ": " << throng_nms_error(nms_);
    };
    using P = throng_nms_params&;
    using I = throng_nms_input&;
    using O = throng_nms_output&;
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    rejects("params.size", [](P p, I, O) { p.size = 0; });
    rejects("params.size", [](P p, I, O) { p.size = 1U << 31U; });
    rejects("params.max_output", [](P p, I, O) { p.max_output = -1; });
    rejects("input.reserved", [](P, I i, O) { i.reserved = 1; });
    rejects("input.size", [](P, I i, O) { i.size = 3; });
    rejects("output.size", [](P, I, O o) { o.size = 10; });
    rejects("params.rule", [](P p, I, O) { p.rule = 9; });
    rejects("params.overlap", [](P p, I, O) { p.overlap = -1; });
    rejects("params.ties", [](P p, I, O) { p.ties = 3; });
    rejects("params.compare", [](P p, I, O) { p.compare = 2; });
    rejects("params.theta", [](P p, I, O) { p.theta = 1.5; });
    rejects("params.theta", [](P p, I, O) { p.theta = -1e-300; });
    rejects("params.theta", [&](P p, I, O) { p.theta = kNan; });
    rejects("params.min_hits", [](P p, I, O) { p.min_hits = 0; });
    rejects("params.sigma", [&](P p, I, O) { p.sigma = kNan; });
    rejects("params.ties", [](P p, I, O) { p.invalid = THRONG_NMS_KEEP_INVALID; });
    rejects("input.density", [](P p, I, O) { p.pair = THRONG_NMS_PAIR_ADAPTIVE; });
    rejects("input.features", [](P p, I, O) { p.pair = THRONG_NMS_PAIR_FEATURE; });
    rejects("num_boxes", [](P, I i, O) { i.num_boxes = -1; });
    rejects("num_boxes", [](P, I i, O) { i.num_boxes = std::int64_t{1} << 31U; });
    rejects("input.boxes", [](P, I i, O) { i.boxes = nullptr; });
    rejects("input.scores", [](P, I i, O) { i.scores = nullptr; });
    rejects("input.dtype", [](P, I i, O) { i.dtype = THRONG_INT32; });
    rejects("input.id_dtype", [](P, I i, O) { i.id_dtype = THRONG_FLOAT32; });
    rejects("input.box_format", [](P, I i, O) { i.box_format = 2; });
    rejects("output.index_dtype", [](P, I, O o) { o.index_dtype = THRONG_FLOAT64; });
    rejects("output.capacity", [](P, I, O o) { o.capacity = -1; });
    rejects("output", [](P, I, O o) { o.count = nullptr; });

    EXPECT_EQ(throng_nms_run(nms_, nullptr, &good, &out, nullptr, 0, nullptr), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_nms_run(nms_, &rules, nullptr, &out, nullptr, 0, nullptr), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_nms_run(nms_, &rules, &good, nullptr, nullptr, 0, nullptr), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_nms_set_threads(nms_, -1), THRONG_ERROR_USAGE);
    std::size_t bytes = 1;
    EXPECT_EQ(throng_nms_workspace_size(nms_, &rules, -1, &bytes), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_nms_workspace_size(nms_, &rules, 100, nullptr), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_nms_workspace_size(nms_, &rules, 100, &bytes), THRONG_OK);
    EXPECT_EQ(bytes, 0U);
    throng_nms_destroy(nullptr);
}

// A struct of an older header is shorter: what it lacks has its default.
TEST_F(NmsLibrary, AcceptsAnOlderHeader) {
    const float boxes[] = {0, 0, 10, 10, 0, 0, 10, 5};
    const float scores[] = {0.9F, 0.8F};
    throng_nms_input input = throng_nms_input_default();
    input.num_boxes = 2;
    input.boxes = boxes;
    input.scores = scores;
    throng_nms_params params = throng_nms_params_default();
    params.theta = 0.9;
    params.sigma = -1;  // beyond the size below
    params.size = offsetof(throng_nms_params, sigma);
    run(params, input);
    EXPECT_EQ(indices_.size(), 2U);
}

// A struct of a newer header is longer: what it has beyond ours must be 0, or the byte is named.
TEST_F(NmsLibrary, AcceptsANewerHeaderThatSetsNothingNew) {
    struct Newer {
        throng_nms_params known;
        double added[2];
    };
    const float boxes[] = {0, 0, 10, 10, 0, 0, 10, 5};
    const float scores[] = {0.9F, 0.8F};
    throng_nms_input input = throng_nms_input_default();
    input.num_boxes = 2;
    input.boxes = boxes;
    input.scores = scores;
    std::int64_t count = 0;
    throng_nms_output output = throng_nms_output_default();
    output.count = &count;
    Newer newer;
    std::memset(&newer, 0xAB, sizeof newer);
    throng_nms_params_init(&newer.known, sizeof newer);
    EXPECT_EQ(newer.known.size, sizeof newer);
    EXPECT_EQ(newer.added[0], 0);
    EXPECT_EQ(newer.added[1], 0);
    ASSERT_EQ(status_of(newer.known, input, output), THRONG_OK) << throng_nms_error(nms_);
    EXPECT_EQ(count, 1);
    newer.added[1] = 2;  // 0x4000000000000000, whose last byte is not 0 on this machine
    ASSERT_EQ(status_of(newer.known, input, output), THRONG_ERROR_USAGE);
    const std::string text = throng_nms_error(nms_);
    EXPECT_NE(text.find("params: has a value in byte " + std::to_string(sizeof newer - 1)), std::string::npos) << text;
}

// Distinct boxes that all overlap: at the threshold 1 every pair is tested, so that a whole call takes many seconds.
TEST_F(NmsLibrary, AStopEndsALongCall) {
    Random random(seed(67));
    std::uniform_real_distribution<float> within(0, 1);
    NmsInput in;
    std::vector<double> doubles;
    for (std::size_t i = 0; i < 400'000; ++i) {
        in.boxes.push_back({within(random), within(random), 100, 100});
        in.scores.push_back(0.1F + within(random));
    }
    const std::vector<double> double_scores(in.scores.begin(), in.scores.end());
    for (const Box& box : in.boxes) {
        for (const float v : {box.x, box.y, box.w, box.h}) doubles.push_back(static_cast<double>(v));
    }
    const throng_nms_input floats = input_of(in);
    throng_nms_input wide = floats;
    wide.dtype = THRONG_FLOAT64;
    wide.boxes = doubles.data();
    wide.scores = double_scores.data();
    std::atomic<std::int32_t> stop{0};
    static_assert(sizeof stop == sizeof(std::int32_t));
    std::int64_t count = -7;
    throng_nms_output output = throng_nms_output_default();
    output.count = &count;
    std::vector<std::pair<throng_nms_params, throng_nms_input>> calls;
    for (const std::int32_t rule :
         {THRONG_NMS_GREEDY, THRONG_NMS_ONE_PASS, THRONG_NMS_SOFT_LINEAR, THRONG_NMS_SOFT_GAUSSIAN}) {
        calls.emplace_back(throng_nms_params_default(), floats);
        calls.back().first.rule = rule;
    }
    calls.emplace_back(throng_nms_params_torchvision(), floats);
    calls.emplace_back(throng_nms_params_torchvision(), wide);
    ASSERT_EQ(throng_nms_set_threads(nms_, 2), THRONG_OK);
    for (auto& [params, input] : calls) {
        SCOPED_TRACE("rule " + std::to_string(params.rule) + ", dtype " + std::to_string(input.dtype));
        params.theta = 1;
        params.sigma = 1e6;  // scores hardly decay
        params.stop = reinterpret_cast<const volatile std::int32_t*>(&stop);
        stop = 0;
        std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            stop = 1;
        });
        EXPECT_EQ(status_of(params, input, output), THRONG_ERROR_STOPPED);
        stopper.join();
        EXPECT_NE(std::string(throng_nms_error(nms_)).find("stopped"), std::string::npos);
        throng_nms_input few = input;
        few.num_boxes = 5;
        EXPECT_EQ(status_of(params, few, output), THRONG_ERROR_STOPPED) << "asked to stop before";
        EXPECT_EQ(count, -7);
        stop = 0;
        EXPECT_EQ(status_of(params, few, output), THRONG_OK) << throng_nms_error(nms_);
        EXPECT_GE(std::exchange(count, -7), 1);
    }
}

// At least one call of several threads succeeds; the others report BUSY or succeed, and nothing is corrupted.
TEST_F(NmsLibrary, ASecondThreadIsBusy) {
    Random random(seed(64));
    const NmsInput in = clusters_input(random, 20000, 20);
    const throng_nms_params params = params_of({});
    const throng_nms_input input = input_of(in);
    std::int64_t expected = 0;
    throng_nms_output output = throng_nms_output_default();
    output.count = &expected;
    ASSERT_EQ(status_of(params, input, output), THRONG_OK);
    std::atomic<int> done{0};
    std::atomic<int> busy{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                std::int64_t count = 0;
                throng_nms_output own = throng_nms_output_default();
                own.count = &count;
                const throng_status status = status_of(params, input, own);
                if (status == THRONG_OK && count == expected) ++done;
                if (status != THRONG_ERROR_BUSY) continue;
                ++busy;
                EXPECT_NE(std::string(throng_nms_error(nms_)).find("another thread"), std::string::npos);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(done, 0);
    EXPECT_EQ(done + busy, 80);
    ASSERT_EQ(status_of(params, input, output), THRONG_OK);
    EXPECT_STREQ(throng_nms_error(nms_), "");
}

TEST_F(NmsLibrary, WorksInAForkedProcessUnlessACallWasRunning) {
    if (kThreadSanitizer) GTEST_SKIP() << "skipped: no threads after fork with this sanitizer";
    Random random(seed(65));
    const NmsInput in = clusters_input(random, 20000, 20);
    const throng_nms_params params = params_of({});
    const throng_nms_input input = input_of(in);
    std::int64_t expected = 0;
    std::int64_t count = 0;
    throng_nms_output output = throng_nms_output_default();
    output.count = &count;
    ASSERT_EQ(throng_nms_set_threads(nms_, 3), THRONG_OK);
    ASSERT_EQ(status_of(params, input, output), THRONG_OK);
    std::swap(expected, count);
    EXPECT_TRUE(holds_in_fork([&] {
        EXPECT_EQ(status_of(params, input, output), THRONG_OK);
        EXPECT_EQ(count, expected);
        throng_nms_destroy(nms_);
        nms_ = nullptr;
    }));
}

TEST_F(NmsLibrary, SaysThatForkCameDuringACall) {
    if (kSanitized) GTEST_SKIP() << "skipped: the sanitizer's allocator may be locked after fork";
    Random random(seed(66));
    const NmsInput in = clusters_input(random, 20000, 20);
    const throng_nms_params params = params_of({});
    const throng_nms_input input = input_of(in);
    std::int64_t count = 0;
    throng_nms_output output = throng_nms_output_default();
    output.count = &count;
    std::atomic<bool> enough{false};
    std::thread busy([&] {
        while (!enough) EXPECT_EQ(status_of(params, input, output), THRONG_OK);
    });
    bool interrupted = false;
    while (!interrupted) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(60);
            const throng_status status = status_of(params, input, output);
            const bool named = std::string(throng_nms_error(nms_)).find("made before fork") != std::string::npos;
            throng_nms_destroy(nms_);
            ::_exit(status == THRONG_OK ? 0 : status == THRONG_ERROR_USAGE && named ? 3 : 1);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3)) << status;
        interrupted = WEXITSTATUS(status) == 3;
    }
    enough = true;
    busy.join();
}

}  // namespace
}  // namespace throng::test
