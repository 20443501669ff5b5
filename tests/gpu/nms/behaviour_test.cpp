// Properties in addition to the rules: order of input, capacity, batches, graphs, errors, the paper's postconditions.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/cpu/nms.h"
#include "tests/gpu/nms/device_nms.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

constexpr std::array kEngines = {gpu::FastEngine::matrix, gpu::FastEngine::grid};

NmsParams with_rule(NmsRule rule, float theta = 0.5F) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    return params;
}

constexpr std::array kRules = {NmsRule::one_pass, NmsRule::greedy, NmsRule::soft_linear, NmsRule::soft_gaussian};

TEST(NmsOnDevice, DifficultShapes) {
    TH_NEED_GPU();
    Random random(seed(21));
    const auto cpu = make_cpu_nms(1);
    const std::vector<NmsInput> inputs = {NmsInput{},
                                          chain_input(1),
                                          chain_input(1000),
                                          copies_input(1500),
                                          invalid_input(700),
                                          copies_input(4096),
                                          clusters_input(random, 4096, 128),
                                          clusters_input(random, 4000, 4000),
                                          shuffled(chain_input(4096), random)};
    for (const auto engine : kEngines) {
        DeviceNms device(engine);
        for (const NmsInput& input : inputs) {
            for (const NmsRule rule : kRules) {
                const NmsParams params = with_rule(rule, 0.4F);
                const NmsOutput expected = run_host_nms(*cpu, input, params);
                EXPECT_EQ(difference(expected.kept, expected.invalid, device.run(input, params), params), "")
                    << "n " << input.boxes.size() << ", rule " << static_cast<int>(rule);
            }
        }
    }
}

TEST(NmsOnDevice, InputOrderDoesNotMatter) {
    TH_NEED_GPU();
    Random random(seed(22));
    for (const auto engine : kEngines) {
        DeviceNms device(engine);
        for (const NmsRule rule : kRules) {
            const NmsInput input = clusters_input(random, 2000, 20);
            const NmsParams params = with_rule(rule);
            const DetectionSet first = device.run(input, params);
            const DetectionSet second = device.run(shuffled(input, random), params);
            ASSERT_EQ(first.total, second.total);
            for (std::size_t i = 0; i < first.detections.size(); ++i) {
                EXPECT_EQ(first.detections[i].box.x, second.detections[i].box.x);
                EXPECT_EQ(first.detections[i].score, second.detections[i].score);
                EXPECT_EQ(first.detections[i].hits, second.detections[i].hits);
            }
        }
    }
}

TEST(NmsOnDevice, OverflowIsCounted) {
    TH_NEED_GPU();
    Random random(seed(23));
    const NmsInput input = clusters_input(random, 600, 3);
    NmsInput first_half = input;
    first_half.boxes.resize(300);
    first_half.scores.resize(300);
    const auto cpu = make_cpu_nms(1);
    for (const auto engine : kEngines) {
        DeviceNms device(engine);
        for (const NmsRule rule : kRules) {
            const NmsParams params = with_rule(rule);
            const NmsOutput expected = run_host_nms(*cpu, first_half, params);
            EXPECT_EQ(difference(expected.kept, expected.invalid, device.run(input, params, 300), params), "")
                << "raw buffer smaller than the input";
            const DetectionSet cut = device.run(first_half, params, 300, 7);
            EXPECT_EQ(cut.total, expected.kept.size());
            EXPECT_EQ(cut.detections.size(), std::min<std::size_t>(7, expected.kept.size()));
            EXPECT_EQ(cut.overflow(), expected.kept.size() - cut.detections.size());
        }
        EXPECT_EQ(device.run(input, with_rule(NmsRule::greedy), 0).total, 0U);
    }
}

// The error message contains the sizes; smaller buffers can be allocated afterwards.
TEST(NmsOnDevice, OutOfDeviceMemory) {
    TH_NEED_GPU();
    DeviceNms device;
    const std::int32_t max_capacity = std::numeric_limits<std::int32_t>::max();
    try {
        device.engine().prepare(max_capacity, max_capacity, with_rule(NmsRule::greedy));
        GTEST_SKIP() << "skipped: this device has memory for " << max_capacity << " detections";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("of device memory ("), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("free of"), std::string::npos) << error.what();
    }
    Random random(seed(28));
    const NmsInput input = clusters_input(random, 9000, 20);
    const NmsParams params = with_rule(NmsRule::greedy);
    const NmsOutput expected = run_host_nms(*make_cpu_nms(1), input, params);
    EXPECT_EQ(difference(expected.kept, expected.invalid, device.run(input, params), params), "");
}

TEST(NmsOnDevice, PairTestsAreCounted) {
    TH_NEED_GPU();
    Random random(seed(29));
    const NmsInput input = clusters_input(random, 6000, 20);
    for (const NmsRule rule : kRules) {
        DeviceNms device;
        const NmsParams params = with_rule(rule);
        static_cast<void>(device.run(input, params));
        EXPECT_FALSE(device.engine().pair_tests().has_value());
        const auto times = device.engine().replay(device.raw(), device.kept(), params, 2);
        EXPECT_EQ(times.size(), 2U);
        const auto tests = device.engine().pair_tests();
        ASSERT_TRUE(tests.has_value());
        // Only the boxes of a cluster intersect, so far fewer than all pairs are tested.
        EXPECT_GT(*tests, 6000U * 5);
        EXPECT_LT(*tests, 6000U * 6000 / 20);
    }
}

// The number of detections changes from frame to frame, as expected or not: the result is right whichever engine runs.
TEST(NmsOnDevice, AnyNumberOfDetections) {
    TH_NEED_GPU();
    Random random(seed(24));
    const auto cpu = make_cpu_nms(1);
    for (const std::int32_t capacity : {4097, 16384, 70000, 600000}) {
        DeviceNms device;
        DeviceNms unaware;  // expects nothing
        for (const std::size_t n : {0, 4097, 1, 1000, 20000, 9000, 2500, 3900, 33}) {
            const NmsInput input = clusters_input(random, n, 20);
            for (const NmsRule rule : {NmsRule::one_pass, NmsRule::greedy}) {
                NmsParams params = with_rule(rule);
                params.min_hits = n % 2 == 0 ? 1 : 3;
                NmsInput stored = input;
                stored.boxes.resize(std::min<std::size_t>(n, static_cast<std::size_t>(capacity)));
                stored.scores.resize(stored.boxes.size());
                const NmsOutput expected = run_host_nms(*cpu, stored, params);
                EXPECT_EQ(difference(expected.kept, expected.invalid, unaware.run(input, params, capacity), params), "")
                    << n << " of " << capacity;
                for (const std::uint32_t count : {0U, 10U, 4000U, 60000U}) {
                    device.expect(count);
                    EXPECT_EQ(difference(expected.kept, expected.invalid, device.run(input, params, capacity), params),
                              "")
                        << n << " of " << capacity << ", expected " << count;
                }
            }
        }
    }
}

// The matrix engine tests all pairs of few detections: it is expected after a frame with none, and also after one with
// so many that the buffers have grown.
TEST(NmsOnDevice, TheExpectedCountSelectsTheEngine) {
    TH_NEED_GPU();
    Random random(seed(31));
    const NmsParams params = with_rule(NmsRule::greedy);
    const std::uint64_t all_pairs = 2000U * 1999 / 2;
    for (const std::int32_t capacity : {16384, 40000}) {
        DeviceNms device;
        const auto tests_of = [&](std::size_t n) {
            static_cast<void>(device.run(clusters_input(random, n, 20), params, capacity));
            static_cast<void>(device.engine().replay(device.raw(), device.kept(), params, 1));
            return device.engine().pair_tests().value();
        };
        EXPECT_LT(tests_of(2000), all_pairs) << "expects the capacity";
        for (const std::uint32_t count : {0U, 300U, 60000U, 4000U}) {
            device.expect(count);
            if (count <= 4000) {
                EXPECT_EQ(tests_of(2000), all_pairs) << count << " of " << capacity;
            } else {
                EXPECT_LT(tests_of(2000), all_pairs) << count << " of " << capacity;
            }
        }
        const std::uint64_t all_of_full = std::uint64_t{40000} * 39999 / 2;
        if (capacity == 40000) {
            EXPECT_LT(tests_of(40000), all_of_full / 10) << "too many for the matrix engine";
        }
    }
}

// A graph that was captured for few detections, and calls that expect few, meet many.
TEST(NmsOnDevice, TheCountJumps) {
    TH_NEED_GPU();
    Random random(seed(30));
    const auto cpu = make_cpu_nms(1);
    NullRecorder recorder;
    for (const std::int32_t capacity : {16384, 65536}) {
        DeviceNms device;
        for (const Overlap overlap : {Overlap::iou, Overlap::suppressor, Overlap::min}) {
            NmsParams params = with_rule(NmsRule::greedy);
            params.overlap = overlap;
            device.expect(10);
            static_cast<void>(device.run(clusters_input(random, 10, 5), params, capacity));
            const gpu::Graph graph = gpu::Graph::capture(
                device.stream(), [&] { device.engine().enqueue(device.raw(), device.kept(), params, recorder); });
            for (const std::size_t n : {10, 60000, 10, 5000, 300}) {
                NmsInput input = clusters_input(random, std::min(n, static_cast<std::size_t>(capacity)), 20);
                device.transfer().upload(set_of(input), device.raw(), device.stream());
                graph.launch(device.stream());
                DetectionSet found;
                device.transfer().download(device.kept(), found, device.stream());
                const NmsOutput expected = run_host_nms(*cpu, input, params);
                EXPECT_EQ(difference(expected.kept, expected.invalid, found, params), "") << n << " of " << capacity;
            }
        }
    }
}

TEST(NmsOnDevice, ReplayedFromAGraph) {
    TH_NEED_GPU();
    Random random(seed(26));
    const auto cpu = make_cpu_nms(1);
    for (const auto engine : kEngines) {
        DeviceNms device(engine);
        for (const NmsRule rule : kRules) {
            for (const Merge merge : {Merge::none, Merge::weighted}) {
                NmsParams params = with_rule(rule);
                const bool soft = is_soft(rule);
                if (soft && merge != Merge::none) continue;
                params.merge = merge;
                const NmsInput first = clusters_input(random, 1500, 20);
                static_cast<void>(device.run(first, params));
                NullRecorder recorder;
                const gpu::Graph graph = gpu::Graph::capture(
                    device.stream(), [&] { device.engine().enqueue(device.raw(), device.kept(), params, recorder); });
                // The graph reads the count and the boxes of each frame in place.
                for (const std::size_t n : {1500, 700, 0, 1400, 1, 33}) {
                    const NmsInput input = clusters_input(random, n, 20);
                    device.transfer().upload(set_of(input), device.raw(), device.stream());
                    graph.launch(device.stream());
                    DetectionSet found;
                    device.transfer().download(device.kept(), found, device.stream());
                    const NmsOutput expected = run_host_nms(*cpu, input, params);
                    EXPECT_EQ(difference(expected.kept, expected.invalid, found, params), "") << n;
                }
            }
        }
    }
}

TEST(NmsOnDevice, EqualNumbersAreEqualLaunches) {
    TH_NEED_GPU();
    Random random(seed(32));
    const NmsInput input = clusters_input(random, 300, 20);
    const NmsParams greedy = with_rule(NmsRule::greedy);
    DeviceNms device;
    DeviceNms other;
    const auto number = [](DeviceNms& of, const NmsParams& params) {
        return of.engine().prepare_launches(of.raw(), of.kept(), params);
    };
    for (DeviceNms* each : {&device, &other}) static_cast<void>(each->run(input, greedy, 2048));
    EXPECT_NE(number(device, greedy), number(other, greedy)) << "each has its own memory";
    // The scratch of the paper's kernels is allocated again for other steps, with the same size.
    NmsParams paper = with_rule(NmsRule::one_pass);
    paper.kernels = NmsKernels::paper;
    NmsParams more_steps = paper;
    more_steps.paper_k = 2 * paper.paper_k;
    const std::uint64_t before = number(device, paper);
    EXPECT_EQ(number(device, paper), before);
    EXPECT_NE(number(device, more_steps), before);
    EXPECT_NE(number(device, paper), before);
    // Few sizes serve any number of detections, and what was known stays known.
    std::set<std::uint64_t> numbers;
    for (int i = 0; i < 2000; ++i) {
        device.expect(static_cast<std::uint32_t>(random() % 1000));
        numbers.insert(number(device, greedy));
    }
    EXPECT_LE(numbers.size(), 20U);
    // More settings than are known at the same time: a number never stands for others.
    NmsParams changed = greedy;
    for (int i = 0; i < 200; ++i) {
        changed.theta = 0.51F + 0.001F * static_cast<float>(i);
        EXPECT_TRUE(numbers.insert(number(device, changed)).second) << i;
    }
}

TEST(NmsOnDevice, MissingFieldsAreReported) {
    TH_NEED_GPU();
    DeviceNms device;
    for (const auto& [pair, word] :
         {std::pair(PairRule::adaptive, "density"), std::pair(PairRule::feature, "features")}) {
        NmsParams params = with_rule(NmsRule::greedy);
        params.pair = pair;
        try {
            static_cast<void>(device.run(chain_input(5), params));
            FAIL() << word;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_NE(error.problem().text().find(word), std::string::npos) << error.what();
        }
    }
}

TEST(NmsOnDevice, PaperKernelsSupportOnlyOnePass) {
    TH_NEED_GPU();
    DeviceNms device;
    NmsParams params = with_rule(NmsRule::greedy);
    params.kernels = NmsKernels::paper;
    EXPECT_THROW(static_cast<void>(device.run(chain_input(5), params)), Error);
}

// After MapKernel B_ij is 0 exactly where j suppresses i; after ReduceKernel V_i is the AND of row i, whatever k.
TEST(PaperKernels, Postconditions) {
    TH_NEED_GPU();
    Random random(seed(27));
    DeviceNms device;
    const gpu::StreamView stream = device.stream();
    for (const std::int32_t k : {1, 2, 4, 7, 8, 16, 32, 64}) {
        const NmsInput input = random_nms_input(random, 300);
        NmsParams params = with_rule(NmsRule::one_pass, 0.4F);
        params.overlap = Overlap::suppressor;
        params.ties = Ties::strict;
        params.pixels = PixelConvention::inclusive;
        static_cast<void>(device.run(input, params));  // uploads
        const gpu::PaperNms paper(310, k);
        const gpu::PaperNmsScratch& scratch = paper.scratch();
        ASSERT_EQ(scratch.D_max % k, 0);
        const auto side = static_cast<std::size_t>(scratch.D_max);
        const gpu::NmsTask task{device.raw().span(), device.kept().span()};
        paper.launch_map(task, gpu::make_rule_set(params, {}), stream);
        paper.launch_reduce(stream);
        std::vector<std::uint8_t> b(side * side);
        std::vector<std::uint8_t> v(side);
        gpu::copy_to_host(b.data(), scratch.B, b.size(), stream);
        gpu::copy_to_host(v.data(), scratch.V, v.size(), stream);
        for (std::size_t i = 0; i < side; ++i) {
            bool all = true;
            for (std::size_t j = 0; j < side; ++j) {
                bool expected = true;
                if (i < input.boxes.size() && j < input.boxes.size() &&
                    is_valid_detection(input.boxes[i], input.scores[i]) &&
                    is_valid_detection(input.boxes[j], input.scores[j]) && input.scores[i] < input.scores[j]) {
                    expected = !(pair_overlap(Overlap::suppressor, input.boxes[i], input.boxes[j], 1.0F) >= 0.4F);
                }
                ASSERT_EQ(b[i * side + j] != 0, expected) << i << " " << j;
                all = all && expected;
            }
            ASSERT_EQ(v[i] != 0, all) << i << ", k " << k;
        }
    }
}

}  // namespace
}  // namespace throng::test
