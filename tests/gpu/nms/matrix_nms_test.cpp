// Every code path of the matrix engine with few detections, so that race and memory checkers finish:
// THRONG_REQUIRE_GPU=1 compute-sanitizer --tool racecheck gpu_nms --gtest_filter='MatrixNms.*'
//
// The tests named MatrixNmsLong take too long for these tools.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/gpu/nms/engine_cases.h"

namespace throng::test {
namespace {

void compare(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1, int times = 1) {
    expect_as_cpu(gpu::FastEngine::matrix, input, params, capacity, times);
}

TEST(MatrixNms, EachNumberOfTiles) {
    TH_NEED_GPU();
    Random random(seed(31));
    for (const std::size_t n : {1, 31, 32, 33, 200, 255, 256, 257, 300}) {
        const NmsInput input = clusters_input(random, n, 10);
        compare(input, rule(NmsRule::one_pass));
        compare(input, rule(NmsRule::greedy));
    }
}

TEST(MatrixNms, FewInALargeBuffer) {
    TH_NEED_GPU();
    Random random(seed(33));
    compare(clusters_input(random, 150, 20), rule(NmsRule::greedy), gpu::kMatrixLimit);
    compare(clusters_input(random, 1, 1), rule(NmsRule::greedy), 4096);
    compare(NmsInput{}, rule(NmsRule::greedy), 300);
}

// Blocks have several units, tiles and parts of the undecided detections.
TEST(MatrixNms, MoreThanExpected) {
    TH_NEED_GPU();
    Random random(seed(39));
    const auto cpu = make_cpu_nms(1);
    DeviceNms device(gpu::FastEngine::matrix);
    device.expect(1);
    for (const std::size_t n : {70, 600, 1500}) {
        const NmsInput input = clusters_input(random, n, 20);
        for (const NmsRule which : {NmsRule::one_pass, NmsRule::greedy}) {
            for (const std::int32_t min_hits : {1, 3}) {
                NmsParams params = rule(which);
                params.min_hits = min_hits;
                const NmsOutput expected = run_host_nms(*cpu, input, params);
                EXPECT_EQ(difference(expected.kept, expected.invalid, device.run(input, params, 5000), params), "")
                    << n;
            }
        }
    }
}

TEST(MatrixNms, KeptBufferOverflows) {
    TH_NEED_GPU();
    Random random(seed(43));
    const NmsInput input = clusters_input(random, 200, 4);
    for (const std::int32_t min_hits : {1, 2}) {
        NmsParams params = rule(NmsRule::greedy);
        params.min_hits = min_hits;
        const NmsOutput expected = run_host_nms(*make_cpu_nms(1), input, params);
        DeviceNms device(gpu::FastEngine::matrix);
        const DetectionSet found = device.run(input, params, -1, 7);
        EXPECT_EQ(difference(expected.kept, expected.invalid, found, params), "");
        EXPECT_EQ(found.detections.size(), 7U);
    }
}

TEST(MatrixNms, FewHitsAndMembers) {
    TH_NEED_GPU();
    Random random(seed(34));
    expect_few_hits_and_members(gpu::FastEngine::matrix, clusters_input(random, 300, 10));
}

TEST(MatrixNms, OtherPairRules) {
    TH_NEED_GPU();
    Random random(seed(35));
    expect_other_pair_rules(gpu::FastEngine::matrix, random);
}

// Ranks and owners that depend only on the order at equal scores.
TEST(MatrixNms, EqualScores) {
    TH_NEED_GPU();
    Random random(seed(40));
    NmsInput input = clusters_input(random, 400, 8);
    for (float& score : input.scores) score = score < 0.5F ? 0.25F : 0.75F;
    compare(input, rule(NmsRule::one_pass));
    compare(input, rule(NmsRule::greedy));
    expect_few_hits_and_members(gpu::FastEngine::matrix, input);
    for (std::size_t i = 0; i < input.scores.size(); ++i) input.scores[i] = i % 2 == 0 ? 0.0F : -0.0F;
    compare(input, rule(NmsRule::greedy));
    NmsParams strict = rule(NmsRule::one_pass);
    strict.ties = Ties::strict;
    compare(input, strict);
}

// Each detection depends on the previous one.
TEST(MatrixNms, AChain) {
    TH_NEED_GPU();
    compare(chain_input(40), rule(NmsRule::greedy, 0.4F));
}

TEST(MatrixNmsLong, AChain) {
    TH_NEED_GPU();
    Random random(seed(36));
    compare(chain_input(1000), rule(NmsRule::greedy, 0.4F));
    compare(shuffled(chain_input(700), random), rule(NmsRule::greedy, 0.4F));
}

TEST(MatrixNmsLong, DenseClusters) {
    TH_NEED_GPU();
    Random random(seed(48));
    const NmsInput input = clusters_input(random, 3600, 120);
    compare(input, rule(NmsRule::one_pass), 4096);
    compare(input, rule(NmsRule::greedy), 4096, 3);
}

// Nearly all remain undecided, with many suppressors each.
TEST(MatrixNmsLong, ManySuppressors) {
    TH_NEED_GPU();
    NmsInput input;
    for (int i = 0; i < 400; ++i) {
        input.boxes.push_back({static_cast<float>(i), 0, 100, 100});
        input.scores.push_back(1.0F - 0.001F * static_cast<float>(i));
    }
    compare(input, rule(NmsRule::greedy, 0.4F));
}

// The same in frames of every size, and with few distinct scores, which leave many undecided.
TEST(MatrixNmsLong, DenseClustersWithFewScores) {
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

// Boxes of about 40. Their spacing keeps the number of overlaps per box about constant, whatever their number.
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

TEST(MatrixNms, ManyUndecided) {
    TH_NEED_GPU();
    Random random(seed(37));
    compare(crowded_input(random, 300), rule(NmsRule::greedy, 0.4F));
    compare(crowded_input(random, 900), rule(NmsRule::greedy, 0.4F));
}

TEST(MatrixNmsLong, ManyUndecided) {
    TH_NEED_GPU();
    Random random(seed(50));
    for (const int n : {2600, 3900}) {
        for (const float theta : {0.2F, 0.4F}) compare(crowded_input(random, n), rule(NmsRule::greedy, theta));
    }
}

// Chains far from each other with `undecided` undecided detections in total, and boxes that intersect no other.
NmsInput chains_input(Random& random, int n, int undecided) {
    constexpr int kLinks = 30;
    NmsInput input;
    const auto add = [&](float x, float y, float score) {
        input.boxes.push_back({x, y, 10, 10});
        input.scores.push_back(score);
    };
    for (int left = undecided; left > 0; left -= kLinks) {
        // The first is kept and the second is suppressed, which is decided at once.
        const int links = std::min(left, kLinks) + 2;
        const auto y = static_cast<float>(left) * 20.0F;
        for (int i = 0; i < links; ++i) add(4.0F * static_cast<float>(i), y, 0.9F - 0.001F * static_cast<float>(i));
    }
    for (int i = 0; static_cast<int>(input.boxes.size()) < n; ++i)
        add(1000.0F + 20.0F * static_cast<float>(i), 0, 0.5F);
    return shuffled(input, random);
}

// Chains in part of the frame, of numbers of detections about those that a block decides at a time, and of more.
TEST(MatrixNmsLong, PartsOfTheUndecided) {
    TH_NEED_GPU();
    Random random(seed(58));
    for (const auto& [n, rows] : {std::pair{900, 256}, {1900, 512}, {3500, 1024}, {4000, 3000}}) {
        for (const int undecided : {rows - 1, rows, rows + 1})
            compare(chains_input(random, n, undecided), rule(NmsRule::greedy, 0.4F), -1, 2);
    }
}

// Data that blocks exchange in one frame must not remain in the next, whatever its size and rule.
TEST(MatrixNmsLong, FramesOfManySizesInOneBuffer) {
    TH_NEED_GPU();
    Random random(seed(59));
    const auto cpu = make_cpu_nms(1);
    DeviceNms device(gpu::FastEngine::matrix);
    for (const int n : {4000, 10, 2500, 0, 4096, 700, 3100, 33}) {
        const NmsInput input = n == 0 ? NmsInput{} : clusters_input(random, static_cast<std::size_t>(n), 60);
        for (const NmsRule which : {NmsRule::greedy, NmsRule::one_pass, NmsRule::greedy}) {
            const NmsParams params = rule(which);
            const NmsOutput expected = run_host_nms(*cpu, input, params);
            EXPECT_EQ(difference(expected.kept, expected.invalid, device.run(input, params, 4096), params), "")
                << "n " << n;
        }
    }
}

// Boxes far apart, close together, all equal, partly invalid, and too far away for the fast test of pairs.
TEST(MatrixNmsLong, EdgesNearAndFar) {
    TH_NEED_GPU();
    Random random(seed(60));
    const auto uniform = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random);
    };
    for (const float extent : {1e-30F, 1.0F, 1e4F, 1e30F, 1e38F}) {
        NmsInput input;
        for (int i = 0; i < 3300; ++i) {
            const float size = extent * uniform(0.01F, 0.1F);
            Box box{uniform(-extent, extent), uniform(-extent, extent), size, size};
            if (i / 200 % 4 == 1) box.x = extent / 2;                // one column
            if (i / 200 % 4 == 2) box = {-extent, extent, size, 1};  // one position
            if (i % 61 == 0) box.w = -1;
            if (i % 67 == 0) box.x = std::nanf("");
            if (i % 71 == 0) box.w = 3e38F;
            input.boxes.push_back(box);
            input.scores.push_back(i % 5 == 0 ? 0.5F : uniform(0, 1));
        }
        for (const NmsRule which : {NmsRule::one_pass, NmsRule::greedy}) {
            for (const Overlap overlap : {Overlap::iou, Overlap::suppressor, Overlap::min}) {
                NmsParams params = rule(which, 0.3F);
                params.overlap = overlap;
                compare(input, params);
            }
        }
    }
}

}  // namespace
}  // namespace throng::test
