// The CPU's maps agree with plain loops on every instruction set, and do not depend on the number of threads.
#include "core/cpu/cnn_engine.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/failing_new.h"
#include "tests/support/network_reference.h"
#include "tests/support/random.h"

namespace throng {
namespace {

// Layers of random shapes that read random tensors. Most tensors are read by several layers or by none.
class RandomNetwork {
public:
    RandomNetwork(std::uint64_t seed, MapSize input) : make_(seed), random_(seed), channels_{3}, sizes_{input} {
        while (channels_.size() < 12) add_layer();
        make_.yunet_head(pick_tensor(), 1);
    }

    // Every tensor is a map of the head; its layers and tensors are checked without them.
    [[nodiscard]] Network finish() {
        Network network = make_.finish(HeadFamily::yunet);
        for (std::int32_t t = 1; t < static_cast<std::int32_t>(channels_.size()); ++t) {
            if (pick(0, 2) != 0) continue;
            HeadLevel level;
            level.score = t;
            network.head.levels.push_back(level);
        }
        return network;
    }

private:
    int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
    int pick_tensor() { return pick(0, static_cast<int>(channels_.size()) - 1); }

    void add_layer() {
        const int in = pick_tensor();
        const int channels = channels_[static_cast<std::size_t>(in)];
        const MapSize size = sizes_[static_cast<std::size_t>(in)];
        constexpr Activation kActivations[] = {Activation::none, Activation::relu, Activation::silu, Activation::leaky};
        const Activation activation = kActivations[pick(0, 3)];
        NetworkLayer shape;  // for size_after
        shape.stride = pick(1, 2);
        shape.padding = pick(0, 1);
        const int kind = pick(0, 8);
        if (kind < 5) {
            shape.kernel = kind < 2 ? 3 : pick(1, 5);
            if (kind == 0) shape.stride = shape.padding = 1;
            if (shape.kernel == 5) shape.padding = 2;
            shape.dilation = kind < 2 ? 1 : pick(1, 2);
            const bool depthwise = pick(0, 1) == 0;
            const int groups = depthwise ? channels : channels % 2 == 0 ? pick(1, 2) : 1;
            const int out = depthwise ? channels : 2 * pick(1, 20);
            if (!fits(shape, size)) return;
            make_.convolution(in, out, shape.kernel, shape.stride, shape.padding, activation, groups, shape.dilation);
            add(out, size_after(shape, size));
        } else if (kind == 5) {
            shape.kind = LayerKind::max_pool;
            shape.kernel = pick(2, 3);
            if (!fits(shape, size)) return;
            make_.pool(in, shape.kernel, shape.stride, shape.padding);
            add(channels, size_after(shape, size));
        } else if (kind == 6) {
            const int factor = pick(2, 3);
            if (size.width * factor > 100) return;
            make_.upsample(in, factor);
            add(channels, {size.width * factor, size.height * factor});
        } else {
            const int other = pick_tensor();
            const int more = channels_[static_cast<std::size_t>(other)];
            if (sizes_[static_cast<std::size_t>(other)] != size || (kind == 7 && more != channels)) return;
            if (kind == 7) {
                make_.add(in, other, activation);
            } else {
                make_.concat({in, other});
            }
            add(kind == 7 ? channels : channels + more, size);
        }
    }

    static bool fits(const NetworkLayer& shape, MapSize size) {
        const MapSize after = size_after(shape, size);
        return after.width > 0 && after.height > 0;
    }
    void add(int channels, MapSize size) {
        channels_.push_back(channels);
        sizes_.push_back(size);
    }

    test::NetworkMaker make_;
    std::mt19937_64 random_;
    std::vector<int> channels_;
    std::vector<MapSize> sizes_;
};

// Returns the maps of the head, as the reference stores them.
std::vector<test::Tensor> run(CnnEngine& engine, const Network& network, const test::Tensor& input, int threads) {
    ThreadPool pool(threads);
    const CnnPlanes planes = engine.input();
    for (int c = 0; c < 3; ++c) {
        for (int y = 0; y < input.height; ++y) {
            for (int x = 0; x < input.width; ++x) {
                planes.data[y * planes.row + c * planes.plane + x] = input.at(c, x, y);
            }
        }
    }
    engine.run(pool);
    std::vector<test::Tensor> maps(network.tensors.size());
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t t : {level.score, level.objectness, level.box, level.landmarks}) {
            if (t < 0) continue;
            const CnnEngine::HeadMap map = engine.map(t);
            test::Tensor& to = maps[static_cast<std::size_t>(t)];
            to = test::Tensor(network.tensors[static_cast<std::size_t>(t)].channels, map.size.width, map.size.height);
            for (int c = 0; c < to.channels; ++c) {
                for (int y = 0; y < to.height; ++y) {
                    for (int x = 0; x < to.width; ++x) to.at(c, x, y) = map(c, x, y);
                }
            }
        }
    }
    return maps;
}

void expect_equal_to_loops(const Network& network, int width, int height, std::mt19937_64& random) {
    const test::Tensor input = test::random_input(width, height, random);
    const std::vector<test::Tensor> expected = test::evaluate(network, input);
    const CnnProgram program(network);
    for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
        hwy::SetSupportedTargetsForTest(targets & -targets);
        CnnEngine engine(program, width, height);
        const std::vector<test::Tensor> maps = run(engine, network, input, 3);
        const std::vector<test::Tensor> again = run(engine, network, input, 1);
        for (std::size_t t = 0; t < maps.size(); ++t) {
            if (maps[t].values.empty()) continue;
            EXPECT_EQ(maps[t].values, again[t].values) << "tensor " << t << " depends on the threads";
            ASSERT_EQ(maps[t].values.size(), expected[t].values.size());
            float largest = 1;
            float error = 0;
            for (std::size_t i = 0; i < maps[t].values.size(); ++i) {
                largest = std::max(largest, std::abs(expected[t].values[i]));
                error = std::max(error, std::abs(maps[t].values[i] - expected[t].values[i]));
            }
            EXPECT_LT(error, 1e-5F * largest)
                << "tensor " << t << ", " << width << "x" << height << ", " << hwy::TargetName(targets & -targets);
        }
    }
    hwy::SetSupportedTargetsForTest(0);
}

TEST(CnnEngineTest, RandomNetworksEqualPlainLoops) {
    std::mt19937_64 random(test::seed(20240911));
    const std::size_t cases = test::case_count(100);
    for (std::size_t i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("case " + std::to_string(i));
        const MapSize size{static_cast<int>(5 + random() % 50), static_cast<int>(5 + random() % 30)};
        expect_equal_to_loops(RandomNetwork(random(), size).finish(), size.width, size.height, random);
    }
}

TEST(CnnEngineTest, NetworksOfTheFamiliesEqualPlainLoops) {
    std::mt19937_64 random(test::seed(20240912));
    expect_equal_to_loops(test::random_yunet(random()), 224, 96, random);
    expect_equal_to_loops(test::random_yunet(random()), 32, 32, random);
    expect_equal_to_loops(test::random_ultraface(random()), 120, 75, random);
    expect_equal_to_loops(test::random_retinaface(random()), 96, 64, random);
    Network yolox = test::random_yolox(random());
    expect_equal_to_loops(yolox, 96, 64, random);
    // Samples up to 255 are not normalized: SiLU sees hundreds.
    for (float& weight : yolox.layers.front().weights) weight *= 255;
    expect_equal_to_loops(yolox, 96, 64, random);
    expect_equal_to_loops(test::odd_network(random()), 96, 64, random);
}

// A call that fails for lack of memory computes nothing; the next one must not take what it left for complete.
TEST(CnnEngine, RunsAfterAnyFailedAllocation) {
    std::mt19937_64 random(test::seed(87));
    const Network network = RandomNetwork(random(), {40, 30}).finish();
    const test::Tensor input = test::random_input(40, 30, random);
    const CnnProgram program(network);
    CnnEngine first(program, 40, 30);
    const std::vector<test::Tensor> expected = run(first, network, input, 3);
    std::int64_t failures = 0;
    test::for_every_failing_allocation([&](std::int64_t number) {
        CnnEngine engine(program, 40, 30);
        ThreadPool pool(3);
        bool failed = false;
        {
            const test::FailingNew failing(number);
            try {
                engine.run(pool);
            } catch (const std::bad_alloc&) {
                failed = true;
                ++failures;
            }
        }
        const std::vector<test::Tensor> maps = run(engine, network, input, 3);
        for (std::size_t t = 0; t < maps.size(); ++t) {
            EXPECT_EQ(maps[t].values, expected[t].values) << "tensor " << t << " after allocation " << number;
        }
        return failed;
    });
    EXPECT_GT(failures, 3);
}

}  // namespace
}  // namespace throng
