// Random detections of every kind under random rules: the CUDA engines give the CPU's results, which other tests
// compare with the definition.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <future>
#include <memory>
#include <thread>

#include "core/cpu/nms.h"
#include "tests/gpu/nms/device_nms.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

std::string describe(const NmsParams& p) {
    return "rule " + std::to_string(static_cast<int>(p.rule)) + " overlap " +
           std::to_string(static_cast<int>(p.overlap)) + " pair " + std::to_string(static_cast<int>(p.pair)) +
           " pixels " + std::to_string(static_cast<int>(p.pixels)) + " ties " +
           std::to_string(static_cast<int>(p.ties)) + " merge " + std::to_string(static_cast<int>(p.merge)) +
           " compare " + std::to_string(static_cast<int>(p.compare)) + " theta " + std::to_string(p.theta) +
           " min_hits " + std::to_string(p.min_hits) + " score_min " + std::to_string(p.score_min);
}

NmsParams random_params(Random& random) {
    NmsParams params = random_nms_params(random);
    if (!is_soft(params.rule) && params.pair == PairRule::overlap && std::bernoulli_distribution(0.3)(random))
        params.compare = Compare::above;
    return params;
}

struct Case {
    NmsInput input;
    NmsParams params;
    std::future<NmsOutput> expected;
};

// The CPU's results are computed on all cores while the device works, because a soft rule takes seconds for many
// thousand detections.
void compare(gpu::FastEngine engine, std::size_t cases, std::size_t max_detections, std::uint64_t fixed_seed) {
    Random random(seed(fixed_seed));
    DeviceNms device(engine);
    const auto next = [&] {
        const auto n = static_cast<std::size_t>(std::exp2(std::uniform_real_distribution<double>(
                           0, std::log2(static_cast<double>(max_detections) + 1))(random))) -
                       1;
        auto one = std::make_unique<Case>();
        one->input = random_nms_input(random, n);
        one->params = random_params(random);
        const auto policy = n < 1000 ? std::launch::deferred : std::launch::async;
        one->expected =
            std::async(policy, [&one = *one] { return run_host_nms(*make_cpu_nms(1), one.input, one.params); });
        return one;
    };
    const std::size_t ahead = std::max(1U, std::thread::hardware_concurrency());
    std::deque<std::unique_ptr<Case>> waiting;
    int failures = 0;
    for (std::size_t c = 0; c < cases && failures < 10; ++c) {
        while (waiting.size() < std::min(ahead, cases - c)) waiting.push_back(next());
        const auto one = std::move(waiting.front());
        waiting.pop_front();
        // Buffers of the size of the frame and larger ones, in frames that are as expected or not.
        const auto n = static_cast<std::int32_t>(one->input.boxes.size());
        const std::int32_t capacity = c % 3 == 0 || n == 0 ? n : c % 3 == 1 ? 2 * n + 7 : gpu::kMatrixLimit;
        device.expect(static_cast<std::uint32_t>(c % 4 == 0 ? 0 : c % 4 == 1 ? n : c % 4 == 2 ? 40 : 20000));
        const DetectionSet found = device.run(one->input, one->params, std::max(capacity, n));
        const NmsOutput expected = one->expected.get();
        const std::string problem = difference(expected.kept, expected.invalid, found, one->params);
        EXPECT_EQ(problem, "") << "case " << c << ", n " << n << " of " << capacity << ", " << describe(one->params);
        failures += problem.empty() ? 0 : 1;
    }
}

// A captured call gives the right result for frames of any number of detections.
TEST(NmsRandom, ReplaysWithChangingNumbers) {
    TH_NEED_GPU();
    Random random(seed(17));
    const auto cpu = make_cpu_nms(1);
    std::uniform_int_distribution<std::size_t> number(1, 700);
    NullRecorder recorder;
    for (std::size_t c = 0; c < case_count(200); ++c) {
        DeviceNms device(std::array{gpu::FastEngine::choose, gpu::FastEngine::matrix, gpu::FastEngine::grid}[c % 3]);
        NmsParams params = random_params(random);
        params.rule = c % 2 == 0 ? NmsRule::greedy : NmsRule::one_pass;
        device.expect(static_cast<std::uint32_t>(number(random)));
        static_cast<void>(device.run(random_nms_input(random, 700), params, 700));
        const gpu::Graph graph = gpu::Graph::capture(
            device.stream(), [&] { device.engine().enqueue(device.raw(), device.kept(), params, recorder); });
        for (int frame = 0; frame < 4; ++frame) {
            const NmsInput input = random_nms_input(random, number(random));
            device.transfer().upload(set_of(input), device.raw(), device.stream());
            graph.launch(device.stream());
            DetectionSet found;
            device.transfer().download(device.kept(), found, device.stream());
            const NmsOutput expected = run_host_nms(*cpu, input, params);
            ASSERT_EQ(difference(expected.kept, expected.invalid, found, params), "")
                << "case " << c << ", n " << input.boxes.size() << ", " << describe(params);
        }
    }
}

TEST(NmsRandom, SmallCasesOfTheMatrixEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::matrix, case_count(4000), 128, 11);
}

TEST(NmsRandom, SmallCasesOfTheGridEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::grid, case_count(4000), 128, 12);
}

TEST(NmsRandom, LargeCasesOfTheMatrixEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::matrix, case_count(4000) / 40, 8192, 13);
}

TEST(NmsRandom, LargeCasesOfTheGridEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::grid, case_count(4000) / 40, 20000, 14);
}

TEST(NmsRandom, LargeCasesOfTheChosenEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::choose, case_count(4000) / 40, 20000, 15);
}

}  // namespace
}  // namespace throng::test
