// Every way through the small engine, each with few detections, so that the tools that look for races and for bad
// accesses get through: THRONG_REQUIRE_GPU=1 compute-sanitizer --tool racecheck gpu_nms --gtest_filter='SmallNms.*'
#include "tests/gpu/nms/engine_cases.h"

namespace throng::test {
namespace {

void compare(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1, int times = 1) {
    expect_as_cpu(gpu::FastEngine::small, input, params, capacity, times);
}

TEST(SmallNms, ABlockAlone) {
    TH_NEED_GPU();
    Random random(seed(31));
    compare(clusters_input(random, 50, 10), rule(NmsRule::one_pass));
    compare(clusters_input(random, 50, 10), rule(NmsRule::greedy));
}

TEST(SmallNms, BlocksThatTellEachOther) {
    TH_NEED_GPU();
    Random random(seed(32));
    compare(clusters_input(random, 300, 20), rule(NmsRule::one_pass), -1, 3);
    compare(clusters_input(random, 300, 20), rule(NmsRule::greedy), -1, 3);
}

TEST(SmallNms, FewInALargeBuffer) {
    TH_NEED_GPU();
    Random random(seed(33));
    compare(clusters_input(random, 150, 20), rule(NmsRule::greedy), 4096);
    compare(clusters_input(random, 1, 1), rule(NmsRule::greedy), 4096);
}

TEST(SmallNms, FewHitsAndMembers) {
    TH_NEED_GPU();
    Random random(seed(34));
    expect_few_hits_and_members(gpu::FastEngine::small, clusters_input(random, 300, 10));
}

TEST(SmallNms, OtherPairRules) {
    TH_NEED_GPU();
    Random random(seed(35));
    expect_other_pair_rules(gpu::FastEngine::small, random);
}

// Each waits for the one before: rounds in a block, for as many as have rows in its matrix.
TEST(SmallNms, AChain) {
    TH_NEED_GPU();
    compare(chain_input(300), rule(NmsRule::greedy, 0.4F));
}

// More than the matrix holds, and rounds do not help: one block decides them in turn.
TEST(SmallNms, ALongChain) {
    TH_NEED_GPU();
    Random random(seed(36));
    compare(shuffled(chain_input(700), random), rule(NmsRule::greedy, 0.4F));
}

// Many are left, but fewer in each round of all blocks.
TEST(SmallNms, ManyAreLeft) {
    TH_NEED_GPU();
    Random random(seed(37));
    NmsInput input;
    const auto uniform = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random);
    };
    for (int i = 0; i < 900; ++i) {
        input.boxes.push_back({uniform(0, 400), uniform(0, 400), uniform(30, 50), uniform(30, 50)});
        input.scores.push_back(uniform(0, 1));
    }
    compare(input, rule(NmsRule::greedy, 0.4F));
}

// Too many for a copy in shared memory.
TEST(SmallNms, MoreThanAreCopied) {
    TH_NEED_GPU();
    Random random(seed(38));
    compare(clusters_input(random, 2200, 40), rule(NmsRule::one_pass));
}

}  // namespace
}  // namespace throng::test
