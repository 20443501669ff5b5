// The engine for the fewest detections, each way through it with few, so that the tools that look for races and for bad
// accesses get through: THRONG_REQUIRE_GPU=1 compute-sanitizer --tool racecheck gpu_nms --gtest_filter='TinyNms.*'
// Where the device has no clusters these are tests of the small engine.
#include "core/cpu/nms.h"
#include "tests/gpu/nms/device_nms.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

void compare(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1,
             std::int32_t kept_capacity = -1) {
    const auto cpu = make_cpu_nms(1);
    const NmsOutput expected = run_host_nms(*cpu, input, params);
    DeviceNms device;
    const DetectionSet found = device.run(input, params, capacity, kept_capacity);
    if (kept_capacity < 0) {
        EXPECT_EQ(difference(expected.kept, expected.invalid, found, params), "") << "n " << input.boxes.size();
    } else {
        EXPECT_EQ(found.wanted, expected.kept.size());
        EXPECT_EQ(found.detections.size(), std::min<std::size_t>(expected.kept.size(), kept_capacity));
    }
}

NmsParams rule(NmsRule rule, float theta = 0.5F) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    return params;
}

TEST(TinyNms, EachNumberOfWords) {
    TH_NEED_GPU();
    Random random(seed(41));
    for (const std::size_t n : {1, 31, 32, 33, 200, 255, 256, 257}) {
        const NmsInput input = clusters_input(random, n, 10);
        compare(input, rule(NmsRule::one_pass));
        compare(input, rule(NmsRule::greedy));
    }
}

TEST(TinyNms, FewInALargerBuffer) {
    TH_NEED_GPU();
    Random random(seed(42));
    for (const std::int32_t capacity : {64, 256, 300}) {
        compare(clusters_input(random, 40, 10), rule(NmsRule::greedy), capacity);
        compare(NmsInput{}, rule(NmsRule::greedy), capacity);
    }
}

TEST(TinyNms, MoreAreKeptThanThereIsRoomFor) {
    TH_NEED_GPU();
    Random random(seed(43));
    compare(clusters_input(random, 200, 4), rule(NmsRule::greedy), -1, 7);
}

TEST(TinyNms, FewHitsAndMembers) {
    TH_NEED_GPU();
    Random random(seed(44));
    NmsParams params = rule(NmsRule::greedy);
    params.min_hits = 4;
    params.merge = Merge::weighted;
    compare(clusters_input(random, 200, 10), params);
    compare(clusters_input(random, 250, 3), params);
}

TEST(TinyNms, OtherPairRules) {
    TH_NEED_GPU();
    Random random(seed(45));
    const NmsInput input = random_nms_input(random, 200);
    for (const PairRule pair : {PairRule::overlap, PairRule::adaptive, PairRule::feature}) {
        NmsParams params = rule(NmsRule::greedy, 0.3F);
        params.pair = pair;
        params.pixels = PixelConvention::inclusive;
        compare(input, params);
    }
}

// Each waits for the one before.
TEST(TinyNms, AChain) {
    TH_NEED_GPU();
    Random random(seed(46));
    compare(chain_input(200), rule(NmsRule::greedy, 0.4F));
    compare(shuffled(chain_input(256), random), rule(NmsRule::greedy, 0.4F));
}

// Zeros of either sign are one score.
TEST(TinyNms, EqualScores) {
    TH_NEED_GPU();
    Random random(seed(47));
    NmsInput input = clusters_input(random, 100, 10);
    for (std::size_t i = 0; i < input.scores.size(); ++i) input.scores[i] = i % 2 == 0 ? 0.0F : -0.0F;
    compare(input, rule(NmsRule::greedy));
    NmsParams strict = rule(NmsRule::one_pass);
    strict.ties = Ties::strict;
    compare(input, strict);
}

}  // namespace
}  // namespace throng::test
