// Every rule, type and kind of id on device arrays gives what a host handle gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "app/api/throng_nms.h"
#include "gpu/runtime/stream.h"
#include "tests/gpu/api/device_array.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

struct Half {
    std::uint16_t bits;
};

template <class Element>
Element element_of(float value) {
    if constexpr (!std::is_same_v<Element, Half>) {
        return static_cast<Element>(value);
    } else {  // cut off; too small becomes 0, too large infinite
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
        const int exponent = static_cast<int>(bits >> 23U & 0xFFU) - 112;
        if (std::isnan(value)) return {0x7E00};
        if (exponent <= 0) return {sign};
        if (exponent >= 31) return {static_cast<std::uint16_t>(sign | 0x7C00U)};
        return {static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent) << 10U | (bits >> 13U & 0x3FFU))};
    }
}

template <class Element>
constexpr std::int32_t kDtype = std::is_same_v<Element, Half>     ? THRONG_FLOAT16
                                : std::is_same_v<Element, double> ? THRONG_FLOAT64
                                                                  : THRONG_FLOAT32;

// The results of a call, in the caller's types.
template <class Index>
struct Results {
    std::vector<Index> indices, count, invalid;
    std::vector<std::uint8_t> mask;
    std::vector<std::int32_t> hits;
    std::vector<float> scores;

    explicit Results(std::size_t n)
        : indices(n, -7), count(1, -7), invalid(1, -7), mask(n, 7), hits(n, -7), scores(n, -7) {}
};

class DeviceRules : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!stream) return;
        ASSERT_EQ(throng_nms_create(&device_, THRONG_NMS_ABI, THRONG_DEVICE, 0), THRONG_OK)
            << throng_nms_error(nullptr);
        ASSERT_EQ(throng_nms_create(&host_, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
    }
    void TearDown() override {
        throng_nms_destroy(device_);
        throng_nms_destroy(host_);
    }

    static throng_nms_params random_params(Random& random) {
        const NmsParams rules = random_nms_params(random);
        throng_nms_params params = throng_nms_params_default();
        params.rule = static_cast<std::int32_t>(rules.rule);
        params.overlap = static_cast<std::int32_t>(rules.overlap);
        params.pair = static_cast<std::int32_t>(rules.pair);
        params.ties = static_cast<std::int32_t>(rules.ties);
        params.pixels = static_cast<std::int32_t>(rules.pixels);
        params.min_hits = rules.min_hits;
        params.theta = rules.theta;
        params.sigma = rules.sigma;
        params.score_min = rules.score_min;
        params.feature_low = rules.feature_low;
        params.feature_high = rules.feature_high;
        params.feature_distance = rules.feature_distance;
        if (!is_soft(rules.rule)) {
            if (random() % 3 == 0) params.ties = THRONG_NMS_TIES_INDEX;
            if (rules.pair == PairRule::overlap && random() % 3 == 0) params.compare = THRONG_NMS_ABOVE;
        }
        return params;
    }

    template <class Element, class Id, class Index>
    void compare(Random& random, throng_nms_params params, const NmsInput& in, int ids) {
        const std::size_t n = in.scores.size();
        if (n > 0 && random() % 4 == 0) params.score_threshold = static_cast<double>(in.scores[random() % n]);
        if (ids == 0 && random() % 4 == 0)
            params.max_output = static_cast<std::int32_t>(random() % std::max<std::size_t>(n, 1)) + 1;
        const bool corners = random() % 2 == 0;
        std::vector<Element> boxes, scores;
        std::vector<Id> classes, images;
        for (std::size_t i = 0; i < n; ++i) {
            const Box& b = in.boxes[i];
            const float x2 = corners ? b.x + b.w : b.w, y2 = corners ? b.y + b.h : b.h;
            for (const float value : {b.x, b.y, x2, y2}) boxes.push_back(element_of<Element>(value));
            scores.push_back(element_of<Element>(in.scores[i]));
            classes.push_back(static_cast<Id>(random() % 3) * 1000 - 1000);
            images.push_back(static_cast<Id>(random() % 4) - 1);
        }
        Results<Index> expected(n), found(n);
        throng_nms_input input = throng_nms_input_default();
        input.dtype = kDtype<Element>;
        input.box_format = corners ? THRONG_CORNERS : THRONG_XYWH;
        input.id_dtype = sizeof(Id) == 4 ? THRONG_INT32 : THRONG_INT64;
        input.num_boxes = static_cast<std::int64_t>(n);
        input.boxes = boxes.data();
        input.scores = scores.data();
        input.class_ids = (ids & 1) != 0 ? classes.data() : nullptr;
        input.image_ids = (ids & 2) != 0 ? images.data() : nullptr;
        input.density = in.density.empty() ? nullptr : in.density.data();
        input.features = in.features.empty() ? nullptr : in.features.data();
        input.feature_size = in.feature_size;
        throng_nms_output output = throng_nms_output_default();
        output.index_dtype = sizeof(Index) == 4 ? THRONG_INT32 : THRONG_INT64;
        output.capacity = static_cast<std::int64_t>(random() % 4 == 0 ? n / 3 : n);
        output.indices = expected.indices.data();
        output.count = expected.count.data();
        output.invalid = expected.invalid.data();
        output.mask = expected.mask.data();
        const bool with_hits = random() % 3 == 0;  // another path without
        output.hits = with_hits ? expected.hits.data() : nullptr;
        output.scores = expected.scores.data();
        ASSERT_EQ(throng_nms_run(host_, &params, &input, &output, nullptr, 0, nullptr), THRONG_OK)
            << throng_nms_error(host_);

        const gpu::StreamView work = view();
        const DeviceArray<Element> d_boxes(boxes, work), d_scores(scores, work);
        const DeviceArray<Id> d_classes(classes, work), d_images(images, work);
        const DeviceArray<float> d_density(in.density, work), d_features(in.features, work);
        const DeviceArray<Index> d_indices(found.indices, work), d_count(found.count, work),
            d_invalid(found.invalid, work);
        const DeviceArray<std::uint8_t> d_mask(found.mask, work);
        const DeviceArray<std::int32_t> d_hits(found.hits, work);
        const DeviceArray<float> d_kept_scores(found.scores, work);
        std::size_t bytes = 0;
        ASSERT_EQ(throng_nms_workspace_size(device_, &params, input.num_boxes, &bytes), THRONG_OK)
            << throng_nms_error(device_);
        // Filled with ones: the workspace needs no initialization.
        const DeviceArray<std::uint8_t> workspace(std::vector<std::uint8_t>(bytes, 0xFF), work);
        input.boxes = d_boxes.data();
        input.scores = d_scores.data();
        if (input.class_ids != nullptr) input.class_ids = d_classes.data();
        if (input.image_ids != nullptr) input.image_ids = d_images.data();
        if (input.density != nullptr) input.density = d_density.data();
        if (input.features != nullptr) input.features = d_features.data();
        output.indices = d_indices.data();
        output.count = d_count.data();
        output.invalid = d_invalid.data();
        output.mask = d_mask.data();
        if (with_hits) output.hits = d_hits.data();
        output.scores = d_kept_scores.data();
        const bool soft = params.rule == THRONG_NMS_SOFT_LINEAR || params.rule == THRONG_NMS_SOFT_GAUSSIAN;
        const throng_status status = throng_nms_run(device_, &params, &input, &output, workspace.data(), bytes, work);
        if (soft && params.score_min < 0 && ids != 0 && n > 0) {
            ASSERT_EQ(status, THRONG_ERROR_UNAVAILABLE);
            return;
        }
        ASSERT_EQ(status, THRONG_OK) << throng_nms_error(device_);
        ASSERT_EQ(d_count.download(), expected.count);
        ASSERT_EQ(d_invalid.download(), expected.invalid);
        ASSERT_EQ(d_indices.download(), expected.indices);
        ASSERT_EQ(d_mask.download(), expected.mask);
        ASSERT_EQ(d_hits.download(), expected.hits);
        const std::vector<float> kept_scores = d_kept_scores.download();
        for (std::size_t k = 0; k < n; ++k) {
            if (std::isnan(expected.scores[k])) {
                ASSERT_TRUE(std::isnan(kept_scores[k])) << "at " << k;  // of any kind
            } else {
                ASSERT_EQ(std::bit_cast<std::uint32_t>(kept_scores[k]),
                          std::bit_cast<std::uint32_t>(expected.scores[k]))
                    << "at " << k;
            }
        }
    }

    void compare_random(Random& random, const throng_nms_params& params, const NmsInput& in) {
        const int ids = random() % 2 == 0 ? static_cast<int>(random() % 2) : static_cast<int>(random() % 4);
        switch (random() % 4) {
            case 0: compare<double, std::int64_t, std::int64_t>(random, params, in, ids); break;
            case 1: compare<Half, std::int32_t, std::int64_t>(random, params, in, ids); break;
            case 2: compare<float, std::int64_t, std::int32_t>(random, params, in, ids); break;
            default: compare<float, std::int32_t, std::int64_t>(random, params, in, ids); break;
        }
    }

    // Detections with density and embeddings, which clusters have not.
    static NmsInput random_input(Random& random, std::size_t n) {
        NmsInput in = random_nms_input(random, n);
        if (random() % 2 == 0) {
            const NmsInput clusters = clusters_input(random, n, 10);
            in.boxes = clusters.boxes;
            in.scores = clusters.scores;
        }
        return in;
    }

    throng_nms* device_ = nullptr;
    throng_nms* host_ = nullptr;
};

TEST_F(DeviceRules, ThrongsRulesEqualTheHost) {
    Random random(seed(81));
    for (std::size_t trial = 0; trial < case_count(600); ++trial) {
        const std::size_t sizes[] = {0, 1, 2, 33, 64, 65, 300, 1030, random() % 300, random() % 100};
        const std::size_t n = trial % 60 == 59 ? 5200 + random() % 1000 : sizes[random() % 10];
        const throng_nms_params params = random_params(random);
        compare_random(random, params, random_input(random, n));
        if (HasFatalFailure()) {
            FAIL() << "trial " << trial << ", " << n << " boxes, rule " << params.rule << ", overlap " << params.overlap
                   << ", pair " << params.pair << ", ties " << params.ties << ", compare " << params.compare
                   << ", theta " << params.theta << ", score_min " << params.score_min;
        }
    }
}

// More boxes than one matrix has, too.
TEST_F(DeviceRules, TorchvisionsModeEqualsTheHost) {
    Random random(seed(82));
    for (std::size_t trial = 0; trial < case_count(500); ++trial) {
        const std::size_t sizes[] = {0, 1, 31, 32, 33, 1056, 1057, 4224, random() % 300, random() % 4300};
        const std::size_t n = trial % 6 == 5 ? 5120 + random() % 3000 : sizes[random() % 10];
        throng_nms_params params = throng_nms_params_torchvision();
        const double thresholds[] = {0.0, 1e-4, 0.3, 0.5, 0.9, 1.0};
        params.theta = thresholds[random() % 6];
        params.min_hits = trial % 5 == 0 ? 2 : 1;
        compare_random(random, params, random_input(random, n));
        if (HasFatalFailure()) FAIL() << "trial " << trial << ", " << n << " boxes, theta " << params.theta;
    }
}

// All copies of one box, and no box that overlaps another.
TEST_F(DeviceRules, ManyCopiesAndManyKept) {
    Random random(seed(83));
    for (const std::size_t n : {500, 6000}) {
        NmsInput apart = copies_input(n);
        for (std::size_t i = 0; i < n; ++i) {
            apart.boxes[i].x = 100.0F * static_cast<float>(i % 100);
            apart.boxes[i].y = 100.0F * static_cast<float>(i / 100);
        }
        for (const throng_nms_params& params : {throng_nms_params_torchvision(), throng_nms_params_default()}) {
            compare_random(random, params, copies_input(n));
            compare_random(random, params, apart);
            if (HasFatalFailure()) FAIL() << n << " boxes";
        }
    }
}

}  // namespace
}  // namespace throng::test
