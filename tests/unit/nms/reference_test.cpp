// The plain loops of core/algo/nms_reference.h against a pair rule and an order that are written apart from theirs.
#include "core/algo/nms_reference.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/nms_cases.h"
#include "tests/support/nms_reference.h"
#include "tests/support/random.h"

namespace throng {
namespace {

using test::NmsInput;

using Indices = std::vector<std::uint32_t>;

TEST(NmsReference, GreedyAndOnePassDifferOnAChain) {
    const NmsInput chain = test::chain_input(5);
    EXPECT_EQ(suppress_by_definition(chain.boxes, chain.scores, {.greedy = true, .theta = 0.4F}), (Indices{0, 2, 4}));
    EXPECT_EQ(suppress_by_definition(chain.boxes, chain.scores, {.greedy = false, .theta = 0.4F}), (Indices{0}));
}

TEST(NmsReference, OwnersAreTheFirstKeptThatSuppress) {
    const auto neighbors = [](std::size_t j, std::size_t i) { return i == j + 1; };
    EXPECT_EQ(find_owners(keep_greedy(4, neighbors), neighbors), (std::vector<std::size_t>{0, 0, 2, 2}));
    // One-pass keeps the first alone; the third and the fourth are suppressed by suppressed ones.
    EXPECT_EQ(find_owners(keep_one_pass(4, neighbors), neighbors), (std::vector<std::size_t>{0, 0, 4, 4}));
}

TEST(NmsReference, AgreesWithTheReferenceOfTheTests) {
    test::Random random(test::seed(31));
    for (std::size_t k = 0; k < test::case_count(200); ++k) {
        const NmsInput input = test::random_nms_input(random, 1 + static_cast<std::size_t>(random() % 120));
        NmsParams params = test::random_nms_params(random);
        params.rule = k % 2 == 0 ? NmsRule::greedy : NmsRule::one_pass;
        params.pair = PairRule::overlap;
        params.merge = Merge::none;
        params.min_hits = 1;
        Indices expected;
        for (const Detection& kept : test::reference_nms(input, params).kept) {
            expected.push_back(static_cast<std::uint32_t>(kept.source));
        }
        const ReferenceRule rule{params.rule == NmsRule::greedy, params.overlap, params.theta, params.pixels,
                                 params.ties};
        ASSERT_EQ(suppress_by_definition(input.boxes, input.scores, rule), expected) << "case " << k;
    }
}

}  // namespace
}  // namespace throng
