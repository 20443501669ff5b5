// Every code path of the engine for the smallest frames, with few detections, so that race and memory checkers finish:
// THRONG_REQUIRE_GPU=1 compute-sanitizer --tool racecheck gpu_nms --gtest_filter='TinyNms.*'
//
// On devices without clusters these are tests of the small engine.
#include "tests/gpu/nms/engine_cases.h"

namespace throng::test {
namespace {

void compare(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1) {
    expect_as_cpu(gpu::FastEngine::choose, input, params, capacity);
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

TEST(TinyNms, KeptBufferOverflows) {
    TH_NEED_GPU();
    Random random(seed(43));
    const NmsInput input = clusters_input(random, 200, 4);
    const NmsParams params = rule(NmsRule::greedy);
    const NmsOutput expected = run_host_nms(*make_cpu_nms(1), input, params);
    DeviceNms device;
    const DetectionSet found = device.run(input, params, -1, 7);
    EXPECT_EQ(difference(expected.kept, expected.invalid, found, params), "");
    EXPECT_EQ(found.detections.size(), 7U);
}

TEST(TinyNms, FewHitsAndMembers) {
    TH_NEED_GPU();
    Random random(seed(44));
    expect_few_hits_and_members(gpu::FastEngine::choose, clusters_input(random, 200, 10));
    expect_few_hits_and_members(gpu::FastEngine::choose, clusters_input(random, 250, 3));
}

TEST(TinyNms, OtherPairRules) {
    TH_NEED_GPU();
    Random random(seed(45));
    expect_other_pair_rules(gpu::FastEngine::choose, random);
}

// Each detection depends on the previous one.
TEST(TinyNms, AChain) {
    TH_NEED_GPU();
    Random random(seed(46));
    compare(chain_input(200), rule(NmsRule::greedy, 0.4F));
    compare(shuffled(chain_input(256), random), rule(NmsRule::greedy, 0.4F));
}

// Zeros of either sign are equal scores.
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
