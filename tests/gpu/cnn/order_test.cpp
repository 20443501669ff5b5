// Steps come after the steps that they depend on, YuNet's three heads share a launch, and a network that was simplified
// gives the same results. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gpu/cnn/simplify.h"
#include "gpu/cnn/step_order.h"
#include "tests/support/network_reference.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using namespace throng::gpu;

Step unit(int in, int up, int out) {
    Step step;
    step.kind = StepKind::point_depth;
    step.in = in;
    step.up = up;
    step.out = out;
    step.point.in = step.point.out = 64;
    return step;
}

// Checks that every tensor is written by an earlier launch than those that read it. Tensor 0 is the input; a whole is
// written when all its parts are.
void expect_order(const std::vector<StepGroup>& groups, const std::vector<TensorAlias>& aliases) {
    std::vector<bool> written(aliases.size());
    written[0] = true;
    const auto is_written = [&](int tensor) {
        if (tensor < 0) return true;
        bool has_parts = false;
        bool all = true;
        for (std::size_t t = 0; t < aliases.size(); ++t) {
            if (aliases[t].whole != tensor) continue;
            has_parts = true;
            all = all && written[t];
        }
        return has_parts ? all : static_cast<bool>(written[static_cast<std::size_t>(tensor)]);
    };
    for (const StepGroup& group : groups) {
        for (const Step& step : group) {
            EXPECT_TRUE(is_written(step.in) && is_written(step.up) && is_written(step.more))
                << "step that writes " << step.out;
        }
        for (const Step& step : group) {
            for (const int tensor : {step.out, step.pooled}) {
                if (tensor >= 0) written[static_cast<std::size_t>(tensor)] = true;
            }
        }
    }
}

// Returns the tensors that the steps write, in ascending order.
std::vector<int> outputs(const std::vector<StepGroup>& groups) {
    std::vector<int> outs;
    for (const StepGroup& group : groups) {
        for (const Step& step : group) outs.push_back(step.out);
    }
    std::sort(outs.begin(), outs.end());
    return outs;
}

TEST(StepOrderTest, HeadsShareALaunch) {
    // A head after each neck, as in some model files; the necks depend on one another.
    const std::vector<Step> steps{unit(0, -1, 1), unit(1, -1, 2), unit(2, -1, 3), unit(3, -1, 4),
                                  unit(2, 3, 5),  unit(5, -1, 6), unit(1, 5, 7),  unit(7, -1, 8)};
    const std::vector<TensorAlias> aliases(9);
    const std::vector<StepGroup> groups = grouped(steps, aliases);
    expect_order(groups, aliases);
    EXPECT_EQ(outputs(groups), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(outputs({groups.back()}), (std::vector<int>{4, 6, 8}));
}

TEST(StepOrderTest, ReaderOfAConcatenationHasALaunchOfItsOwn) {
    std::vector<Step> steps{unit(0, -1, 1), unit(0, -1, 2), unit(3, -1, 4)};
    std::vector<TensorAlias> aliases(5);
    aliases[1] = {3, 0};
    aliases[2] = {3, 64};
    for (const StepKind kind : {StepKind::point_depth, StepKind::tile_convolution}) {
        for (Step& step : steps) step.kind = kind;
        const std::vector<StepGroup> groups = grouped(steps, aliases);
        ASSERT_EQ(groups.size(), 2U);
        EXPECT_EQ(outputs({groups[0]}), (std::vector<int>{1, 2}));
        EXPECT_EQ(outputs({groups[1]}), (std::vector<int>{4}));
    }
}

TEST(StepOrderTest, RandomGraphsStayInOrder) {
    std::mt19937_64 random(seed(21));
    for (int round = 0; round < 200; ++round) {
        const int count = 2 + static_cast<int>(random() % 30);
        std::vector<TensorAlias> aliases(static_cast<std::size_t>(count) + 1);
        std::vector<Step> steps;
        for (int t = 1; t <= count; ++t) {
            const auto earlier = [&] { return static_cast<int>(random() % static_cast<unsigned>(t)); };
            Step step = unit(earlier(), random() % 3 == 0 ? earlier() : -1, t);
            if (random() % 3 == 0) step.kind = StepKind::tile_convolution;
            if (random() % 4 == 0) step.point.out = 32;
            steps.push_back(step);
        }
        // Two of the tensors are parts of a third, which no other step writes.
        if (count > 6) {
            const int whole = count - 1;
            aliases[1] = {whole, 0};
            aliases[2] = {whole, 16};
            steps.erase(steps.begin() + whole - 1);
        }
        const std::vector<StepGroup> groups = grouped(steps, aliases);
        expect_order(groups, aliases);
        EXPECT_EQ(outputs(groups), outputs({steps}));
    }
}

TEST(SimplifyTest, GivesTheSameMaps) {
    std::mt19937_64 random(seed(22));
    for (const auto make : {random_yolox, random_retinaface, random_ultraface, random_yunet}) {
        const Network network = make(random());
        const Network simple = simplified(network);
        for (const NetworkLayer& layer : simple.layers) {
            if (layer.kind == LayerKind::concat) {
                EXPECT_EQ(layer.activation, Activation::none);
            }
            if (layer.kind == LayerKind::max_pool) {
                EXPECT_LE(layer.kernel, 5);
            }
        }
        const Tensor input = random_input(96, 64, random);
        const std::vector<Tensor> want = evaluate(network, input);
        const std::vector<Tensor> got = evaluate(simple, input);
        for (const HeadLevel& level : network.head.levels) {
            for (const int map : {level.score, level.objectness, level.box, level.landmarks}) {
                if (map < 0) continue;
                EXPECT_EQ(got[static_cast<std::size_t>(map)].values, want[static_cast<std::size_t>(map)].values);
            }
        }
    }
}

}  // namespace
}  // namespace throng::test
