// Selected cases for the CPU engine: capacity, difficult shapes, values at the limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/cpu/corner_nms.h"
#include "core/cpu/nms.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_run.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

NmsParams with(NmsRule rule, float theta, Overlap overlap = Overlap::iou) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    params.overlap = overlap;
    return params;
}

NmsInput boxes_of(std::vector<Box> boxes, std::vector<float> scores) {
    NmsInput input;
    input.boxes = std::move(boxes);
    input.scores = std::move(scores);
    return input;
}

std::vector<std::int32_t> sources(const NmsOutput& out) {
    std::vector<std::int32_t> result;
    for (const Detection& detection : out.kept) result.push_back(detection.source);
    return result;
}

using Sources = std::vector<std::int32_t>;

NmsOutput run(const NmsInput& input, const NmsParams& params) {
    return run_host_nms(*make_cpu_nms(2), input, params);
}

TEST(NmsEngine, LongChains) {
    for (const std::size_t n : {1000U, 100000U}) {
        const NmsInput chain = chain_input(n);
        EXPECT_EQ(run(chain, with(NmsRule::one_pass, 0.4F)).kept.size(), 1U);
        const NmsOutput greedy = run(chain, with(NmsRule::greedy, 0.4F));
        ASSERT_EQ(greedy.kept.size(), n / 2);
        for (std::size_t k = 0; k < greedy.kept.size(); ++k) {
            EXPECT_EQ(greedy.kept[k].source, static_cast<std::int32_t>(2 * k));
            EXPECT_EQ(greedy.kept[k].hits, 2);
        }
    }
}

TEST(NmsEngine, KeepsOneOfManyCopies) {
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy}) {
        const NmsOutput out = run(copies_input(100000), with(rule, 1.0F));
        ASSERT_EQ(out.kept.size(), 1U);
        EXPECT_EQ(out.kept[0].hits, 100000);
        EXPECT_EQ(out.kept[0].source, 0);
    }
}

TEST(NmsEngine, ThresholdZeroSuppressesDisjointBoxesToo) {
    Random random(1);
    const NmsInput input = clusters_input(random, 50000, 1);
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy}) {
        const NmsOutput out = run(input, with(rule, 0.0F));
        ASSERT_EQ(out.kept.size(), 1U);
        EXPECT_EQ(out.kept[0].hits, 50000);
    }
}

TEST(NmsEngine, EqualScoresUnderStrictTies) {
    NmsParams params = with(NmsRule::greedy, 0.5F);
    params.ties = Ties::strict;
    const NmsInput input = boxes_of({{0, 0, 10, 10}, {0, 0, 10, 10}, {0, 0, 10, 10}}, {0.5F, 0.5F, 0.4F});
    const NmsOutput out = run(input, params);
    EXPECT_EQ(sources(out), (Sources{0, 1}));
    EXPECT_EQ(out.kept[0].hits, 2);
    EXPECT_EQ(out.kept[1].hits, 1);
}

TEST(NmsEngine, InclusivePixelsTouchOverAGapBelowOne) {
    const NmsInput input = boxes_of({{0, 0, 9, 9}, {9.5F, 0, 9, 9}, {20, 0, 9, 9}}, {0.9F, 0.8F, 0.7F});
    NmsParams params = with(NmsRule::greedy, 0.02F);
    EXPECT_EQ(run(input, params).kept.size(), 3U);
    params.pixels = PixelConvention::inclusive;  // 10 x 10 each, half a column in common: IoU 5 / 195
    EXPECT_EQ(sources(run(input, params)), (Sources{0, 2}));
}

TEST(NmsEngine, MergeIsTheMeanOfTheMembers) {
    const NmsInput input = boxes_of({{0, 0, 10, 10}, {2, 2, 10, 10}, {100, 0, 5, 5}}, {0.6F, 0.2F, 0.1F});
    NmsParams params = with(NmsRule::greedy, 0.3F);
    params.merge = Merge::mean;
    EXPECT_EQ(run(input, params).kept[0].box.x, 1.0F);
    EXPECT_EQ(run(input, params).kept[0].score, 0.6F);
    params.merge = Merge::weighted;
    EXPECT_FLOAT_EQ(run(input, params).kept[0].box.x, 0.5F);
    params.min_hits = 2;
    EXPECT_EQ(sources(run(input, params)), (Sources{0}));
}

TEST(NmsEngine, ScoresUnusableAsWeightsGiveThePlainMean) {
    NmsParams params = with(NmsRule::greedy, 0.3F);
    params.merge = Merge::weighted;
    for (const float lower : {-0.5F, 0.0F}) {
        const NmsInput input = boxes_of({{0, 0, 10, 10}, {2, 2, 10, 10}}, {0.0F, lower});
        EXPECT_EQ(run(input, params).kept[0].box.x, 1.0F) << lower;
    }
}

TEST(NmsEngine, ReportsOverflowAndKeepsDetectionsThatFit) {
    const NmsInput input =
        boxes_of({{0, 0, 1, 1}, {5, 0, 1, 1}, {10, 0, 1, 1}, {15, 0, 1, 1}}, {0.1F, 0.2F, 0.3F, 0.4F});
    const DetectionBuffer raw = host_buffer(input, 3);  // no capacity for the last one
    DetectionBuffer kept = make_host_buffer(2);
    NullRecorder recorder;
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy, NmsRule::soft_linear}) {
        make_cpu_nms()->enqueue(raw, kept, with(rule, 0.5F), recorder);
        const DetectionSet set = detections_of(kept);
        EXPECT_EQ(set.total, 3U);
        EXPECT_EQ(set.overflow(), 1U);
        ASSERT_EQ(set.detections.size(), 2U);
        EXPECT_EQ(set.detections[0].source, 2);
        EXPECT_EQ(set.detections[1].source, 1);
    }
}

TEST(NmsEngine, EmptyInputGivesEmptyOutput) {
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy, NmsRule::soft_linear, NmsRule::soft_gaussian}) {
        EXPECT_TRUE(run({}, with(rule, 0.5F)).kept.empty());
        const NmsOutput out = run(invalid_input(3000), with(rule, 0.5F));
        EXPECT_TRUE(out.kept.empty());
        EXPECT_EQ(out.invalid, 3000U);
    }
}

// One of two identical boxes is kept, or both are dropped and counted.
TEST(NmsEngine, KeepsNoCopyOfABoxOfAnyMagnitude) {
    for (int exponent = -148; exponent < 128; exponent += 5) {
        const float side = std::ldexp(1.0F, exponent);
        for (const float other : {side, 1.0F, 1e-6F, 1e6F}) {
            for (const float at : {0.0F, -side / 2}) {
                const NmsInput input = boxes_of({{at, 0, side, other}, {at, 0, side, other}}, {0.9F, 0.8F});
                for (const float theta : {0.3F, 1.0F}) {
                    for (const Overlap overlap : {Overlap::iou, Overlap::suppressor, Overlap::min}) {
                        for (const PixelConvention pixels : {PixelConvention::continuous, PixelConvention::inclusive}) {
                            NmsParams params = with(NmsRule::greedy, theta, overlap);
                            params.pixels = pixels;
                            const NmsOutput out = run(input, params);
                            EXPECT_EQ(out.kept.size(), out.invalid == 0 ? 1U : 0U) << side << " x " << other;
                        }
                    }
                }
            }
        }
    }
}

TEST(NmsEngine, DropsBoxesBeyondTheRangeOfFloats) {
    const NmsInput input = boxes_of({{0, 0, 2e19F, 2e19F},
                                     {0, 0, 1e-23F, 1e-23F},
                                     {3.4e38F, 0, 1e37F, 1e-10F},
                                     {0, 3.4e38F, 1e-10F, 1e37F},
                                     {5, 5, 10, 10}},
                                    {0.9F, 0.8F, 0.7F, 0.6F, 0.5F});
    const NmsOutput out = run(input, with(NmsRule::greedy, 0.5F));
    EXPECT_EQ(out.invalid, 4U);
    EXPECT_EQ(sources(out), (Sources{4}));
}

TEST(NmsEngine, DistantSmallBoxesWithLargeBoxesNearTheOrigin) {
    NmsInput input;
    for (int i = 0; i < 500; ++i) {
        const float step = static_cast<float>(i);
        input.boxes.push_back({1e30F + step * 1e24F, 1e30F, 1e18F, 1e18F});
        input.boxes.push_back({step * 1e-20F, 0, 1e-20F, 1e-20F});
        input.boxes.push_back({step * 50, 0, 30, 30});
        for (int k = 0; k < 3; ++k) input.scores.push_back(step);
    }
    for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy}) {
        for (const Overlap overlap : {Overlap::iou, Overlap::suppressor, Overlap::min}) {
            const NmsParams params = with(rule, 0.5F, overlap);
            const NmsOutput out = run(input, params);
            const NmsOutput expected = reference_nms(input, params);
            EXPECT_EQ(sources(out), sources(expected));
        }
    }
}

// Scores that sort into few buckets, and clusters that fill few cells.
TEST(NmsEngine, UnevenScoresAndLargeClusters) {
    Random random(seed(17));
    for (const int mix : {0, 1, 2, 3}) {
        NmsInput input = clusters_input(random, 4000, 2000);
        for (std::size_t i = 0; i < input.scores.size(); ++i) {
            float& score = input.scores[i];
            if (mix == 1) score = std::ldexp(score, static_cast<int>(random() % 200) - 100);
            if (mix == 2 && i == 7) score = std::numeric_limits<float>::max();
            if (mix == 3 && i % 2 == 0) score = -std::numeric_limits<float>::max();
        }
        for (const float theta : {0.3F, 0.9F}) {
            const NmsParams params = with(NmsRule::greedy, theta);
            const NmsOutput out = run(input, params);
            EXPECT_EQ(sources(out), sources(reference_nms(input, params))) << "mix " << mix << " theta " << theta;
        }
    }
}

TEST(NmsEngine, OptionalFieldsFollowTheRepresentative) {
    OptionalFields optional_fields;
    optional_fields.landmarks = true;
    optional_fields.density = true;
    optional_fields.feature_size = 2;
    DetectionBuffer raw = make_host_buffer(3, optional_fields);
    DetectionBuffer kept = make_host_buffer(3, optional_fields);
    const DetectionSpan& from = raw.span();
    const DetectionSpan& to = kept.span();
    for (int i = 0; i < 3; ++i) {
        const auto value = static_cast<float>(i + 1);
        from.boxes[i] = {i == 2 ? 50.0F : value, 0, 10, 10};
        from.scores[i] = i == 2 ? 0.1F : 0.2F * value;
        from.density[i] = value / 4;
        std::fill_n(from.landmarks + 10 * i, 10, value);
        std::fill_n(from.features + 2 * i, 2, value);
    }
    from.count->total = 3;
    NullRecorder recorder;
    make_cpu_nms()->enqueue(raw, kept, with(NmsRule::greedy, 0.3F), recorder);
    ASSERT_EQ(to.count->total, 2U);
    for (int k = 0; k < 2; ++k) {
        const auto value = static_cast<float>(k + 2);
        EXPECT_EQ(to.density[k], value / 4);
        EXPECT_TRUE(
            std::all_of(to.landmarks + 10 * k, to.landmarks + 10 * (k + 1), [&](float v) { return v == value; }));
        EXPECT_TRUE(std::all_of(to.features + 2 * k, to.features + 2 * (k + 1), [&](float v) { return v == value; }));
    }
}

TEST(NmsEngine, PairRulesNameTheMissingField) {
    NmsParams params;
    const NmsInput input = boxes_of({{0, 0, 1, 1}}, {1});
    params.pair = PairRule::adaptive;
    EXPECT_THROW(run(input, params), Error);
    params.pair = PairRule::feature;
    EXPECT_THROW(run(input, params), Error);
    for (const std::int32_t capacity : {0, 5}) {  // nothing that could lack it
        const DetectionBuffer raw = host_buffer({}, capacity);
        DetectionBuffer kept = make_host_buffer(1);
        NullRecorder recorder;
        EXPECT_NO_THROW(make_cpu_nms()->enqueue(raw, kept, params, recorder));
    }
}

// Distinct boxes that all overlap: at the threshold 1 every pair is tested, which takes many seconds.
NmsInput crowded_input() {
    Random random(seed(68));
    std::uniform_real_distribution<float> within(0, 1);
    NmsInput input;
    for (std::size_t i = 0; i < 400'000; ++i) {
        input.boxes.push_back({within(random), within(random), 100, 100});
        input.scores.push_back(0.1F + within(random));
    }
    return input;
}

// A stop that is requested by request(), or by a thread after a while, when a call with crowded_input is in its loops.
class Stop {
public:
    Stop() { flag_.watch(reinterpret_cast<const volatile std::int32_t*>(&number_)); }
    void request() { number_ = 1; }
    void withdraw() { number_ = 0; }
    void request_later() {
        thread_ = std::jthread([this] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            request();
        });
    }
    [[nodiscard]] const StopFlag& flag() const { return flag_; }

private:
    std::atomic<std::int32_t> number_{0};
    StopFlag flag_;
    std::jthread thread_;
};

// Requests a stop when the loops over pairs have ended, and counts that.
class StopAtReduce final : public StageRecorder {
public:
    explicit StopAtReduce(Stop& stop) : stop_(stop) {}
    void begin(std::string_view name) override {
        if (name != stage::kNmsReduce) return;
        ++begun;
        stop_.request();
    }
    void end(std::string_view) override {}
    void add(std::string_view, double) override {}
    const StageTimes& end_frame() override { return none_; }
    int begun = 0;

private:
    Stop& stop_;
    const StageTimes none_;
};

template <class Call>
void expect_stopped(const Call& call) {
    try {
        call();
        ADD_FAILURE() << "ran to its end";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::interrupted) << error.what();
    }
}

// No check follows the loops, except that one-pass has a second loop after its first one.
TEST(NmsEngine, AStopEndsItsLoops) {
    const DetectionBuffer raw = host_buffer(crowded_input());
    DetectionBuffer kept = make_host_buffer(raw.capacity());
    for (const NmsRule rule : {NmsRule::greedy, NmsRule::one_pass, NmsRule::soft_linear, NmsRule::soft_gaussian}) {
        SCOPED_TRACE(static_cast<int>(rule));
        NmsParams params = with(rule, 1.0F);
        params.sigma = 1e6F;  // scores hardly decay
        Stop stop;
        StopAtReduce recorder(stop);
        const auto nms = make_cpu_nms(2, &stop.flag());
        stop.request_later();
        expect_stopped([&] { nms->enqueue(raw, kept, params, recorder); });
        EXPECT_EQ(recorder.begun, 0) << "the first loop ran to its end";
        stop.withdraw();  // nothing of the ended call is left
        EXPECT_EQ(run_host_nms(*nms, chain_input(3), params).kept.size(), 3U);
    }
}

TEST(NmsEngine, AStopEndsTheSecondLoopOfOnePass) {
    const DetectionBuffer raw = host_buffer(chain_input(10));
    DetectionBuffer kept = make_host_buffer(raw.capacity());
    Stop stop;
    StopAtReduce recorder(stop);
    expect_stopped([&] { make_cpu_nms(1, &stop.flag())->enqueue(raw, kept, with(NmsRule::one_pass, 0.4F), recorder); });
    EXPECT_EQ(recorder.begun, 1);
}

template <class Real>
void expect_corners_stop() {
    const NmsInput input = crowded_input();
    std::vector<Real> corners;
    for (const Box& box : input.boxes) {
        for (const float v : {box.x, box.y, box.x + box.w, box.y + box.h}) corners.push_back(static_cast<Real>(v));
    }
    const std::vector<Real> scores(input.scores.begin(), input.scores.end());
    CornerNms<Real> nms;
    Stop stop;
    stop.request_later();
    expect_stopped([&] {
        nms.run({corners.data(), scores.data(), nullptr, 1, static_cast<std::uint32_t>(scores.size())}, 1, stop.flag());
    });
}

TEST(CornerNms, AStopEndsItsLoop) {
    expect_corners_stop<float>();
    expect_corners_stop<double>();
}

TEST(NmsParamsCheck, RejectsInvalidParameters) {
    const auto rejected = [](auto change) {
        NmsParams params;
        change(params);
        try {
            check_params(params);
        } catch (const Error& error) {
            return error.kind() == ErrorKind::usage;
        }
        return false;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(rejected([](NmsParams&) {}));
    EXPECT_TRUE(rejected([&](NmsParams& p) { p.theta = nan; }));
    EXPECT_TRUE(rejected([](NmsParams& p) { p.theta = 1.01F; }));
    EXPECT_TRUE(rejected([](NmsParams& p) { p.min_hits = 0; }));
    EXPECT_TRUE(rejected([](NmsParams& p) { p.sigma = 0; }));
    EXPECT_TRUE(rejected([&](NmsParams& p) { p.score_min = nan; }));
    EXPECT_TRUE(rejected([](NmsParams& p) { p.feature_low = 0.95F; }));
    EXPECT_TRUE(rejected([](NmsParams& p) { p.paper_k = 65; }));
    EXPECT_TRUE(rejected([](NmsParams& p) { p.kernels = NmsKernels::paper; }));
    EXPECT_TRUE(rejected([](NmsParams& p) {
        p.rule = NmsRule::soft_linear;
        p.pair = PairRule::adaptive;
    }));
    EXPECT_TRUE(rejected([](NmsParams& p) {
        p.rule = NmsRule::soft_gaussian;
        p.overlap = Overlap::min;
    }));
}

}  // namespace
}  // namespace throng::test
