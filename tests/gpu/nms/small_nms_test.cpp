// Every way through the small engine, each with few detections, so that the tools that look for races and for bad
// accesses get through: THRONG_REQUIRE_GPU=1 compute-sanitizer --tool racecheck gpu_nms --gtest_filter='SmallNms.*'
// Those named SmallNmsLong have too long ways to wait for that.
#include <cmath>

#include "tests/gpu/nms/engine_cases.h"

namespace throng::test {
namespace {

void compare(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1, int times = 1) {
    expect_as_cpu(gpu::FastEngine::small, input, params, capacity, times);
}

TEST(SmallNms, OneTile) {
    TH_NEED_GPU();
    Random random(seed(31));
    compare(clusters_input(random, 50, 10), rule(NmsRule::one_pass));
    compare(clusters_input(random, 50, 10), rule(NmsRule::greedy));
}

TEST(SmallNms, SeveralTiles) {
    TH_NEED_GPU();
    Random random(seed(32));
    compare(clusters_input(random, 300, 20), rule(NmsRule::one_pass), -1, 3);
    compare(clusters_input(random, 300, 20), rule(NmsRule::greedy), -1, 3);
}

TEST(SmallNms, LargeTiles) {
    TH_NEED_GPU();
    Random random(seed(38));
    const NmsInput input = clusters_input(random, 2200, 40);
    compare(input, rule(NmsRule::one_pass));
    compare(input, rule(NmsRule::greedy));
}

TEST(SmallNms, FewInALargeBuffer) {
    TH_NEED_GPU();
    Random random(seed(33));
    compare(clusters_input(random, 150, 20), rule(NmsRule::greedy), 4096);
    compare(clusters_input(random, 1, 1), rule(NmsRule::greedy), 4096);
}

// Where the frame might be for the other engine: as many blocks as that needs, each with several groups of detections.
TEST(SmallNms, BlocksWithSeveralGroups) {
    TH_NEED_GPU();
    Random random(seed(39));
    const NmsInput input = clusters_input(random, 1500, 20);
    expect_as_cpu(gpu::FastEngine::choose, input, rule(NmsRule::one_pass), 5000);
    expect_as_cpu(gpu::FastEngine::choose, input, rule(NmsRule::greedy), 5000);
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

// Places and owners that only the order at equal scores tells.
TEST(SmallNms, EqualScores) {
    TH_NEED_GPU();
    Random random(seed(40));
    NmsInput input = clusters_input(random, 400, 8);
    for (float& score : input.scores) score = score < 0.5F ? 0.25F : 0.75F;
    compare(input, rule(NmsRule::one_pass));
    compare(input, rule(NmsRule::greedy));
    expect_few_hits_and_members(gpu::FastEngine::small, input);
}

// Each waits for the one before.
TEST(SmallNms, AChain) {
    TH_NEED_GPU();
    compare(chain_input(40), rule(NmsRule::greedy, 0.4F));
}

TEST(SmallNmsLong, AChain) {
    TH_NEED_GPU();
    Random random(seed(36));
    compare(chain_input(1000), rule(NmsRule::greedy, 0.4F));
    compare(shuffled(chain_input(700), random), rule(NmsRule::greedy, 0.4F));
}

// Blocks tell each other who is open, by words that each frame leaves as the next one wants them.
TEST(SmallNmsLong, DenseClusters) {
    TH_NEED_GPU();
    Random random(seed(48));
    const NmsInput input = clusters_input(random, 3600, 120);
    compare(input, rule(NmsRule::one_pass), 4096);
    compare(input, rule(NmsRule::greedy), 4096, 3);
}

// More edges between undecided ones than a block has room for: it goes along the rows of the matrix.
TEST(SmallNmsLong, Lists) {
    TH_NEED_GPU();
    NmsInput input;
    for (int i = 0; i < 400; ++i) {
        input.boxes.push_back({static_cast<float>(i), 0, 100, 100});
        input.scores.push_back(1.0F - 0.001F * static_cast<float>(i));
    }
    compare(input, rule(NmsRule::greedy, 0.4F));
}

// The same in frames of every size, and where few distinct scores leave many open.
TEST(SmallNmsLong, DenseClustersWithFewScores) {
    TH_NEED_GPU();
    Random random(seed(49));
    for (const std::size_t n : {1900, 2900, 4000}) {
        for (const float steps : {1.0F, 8.0F, 64.0F}) {
            NmsInput input = clusters_input(random, n, 120);
            for (float& score : input.scores) score = std::floor(score * steps) / steps;
            compare(input, rule(NmsRule::greedy));
        }
    }
}

// Boxes of about 40, with so many a side of the plane that about as many of them overlap whatever their number.
NmsInput crowded_input(Random& random, int n) {
    NmsInput input;
    const auto uniform = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random);
    };
    const float side = 400.0F * std::sqrt(static_cast<float>(n) / 900.0F);
    for (int i = 0; i < n; ++i) {
        input.boxes.push_back({uniform(0, side), uniform(0, side), uniform(30, 50), uniform(30, 50)});
        input.scores.push_back(uniform(0, 1));
    }
    return input;
}

// Fewer open ones than there are rows of bits for: some 50 and 120, of 256.
TEST(SmallNms, ManyAreLeft) {
    TH_NEED_GPU();
    Random random(seed(37));
    compare(crowded_input(random, 300), rule(NmsRule::greedy, 0.4F));
    compare(crowded_input(random, 900), rule(NmsRule::greedy, 0.4F));
}

// Fewer and more: some 340 and 480 where there are 384 rows, 530 and 640 where there are 512.
TEST(SmallNmsLong, ManyAreLeft) {
    TH_NEED_GPU();
    Random random(seed(50));
    for (const int n : {2600, 3900}) {
        for (const float theta : {0.2F, 0.4F}) compare(crowded_input(random, n), rule(NmsRule::greedy, theta));
    }
}

}  // namespace
}  // namespace throng::test
