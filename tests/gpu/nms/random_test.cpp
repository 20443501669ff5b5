// Random detections of every kind under random rules: the CUDA engines give the CPU's results, which other tests
// compare with the definition.
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
           " theta " + std::to_string(p.theta) + " min_hits " + std::to_string(p.min_hits) + " score_min " +
           std::to_string(p.score_min);
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
    const auto limit = static_cast<std::size_t>(gpu::kSmallNmsLimit);
    if (engine == gpu::FastEngine::small) max_detections = std::min(max_detections, limit);
    const auto next = [&] {
        const auto n = static_cast<std::size_t>(std::exp2(std::uniform_real_distribution<double>(
                           0, std::log2(static_cast<double>(max_detections) + 1))(random))) -
                       1;
        auto one = std::make_unique<Case>();
        one->input = random_nms_input(random, n);
        one->params = random_nms_params(random);
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
        const DetectionSet found = device.run(one->input, one->params);
        const NmsOutput expected = one->expected.get();
        const std::string problem = difference(expected.kept, expected.invalid, found, one->params);
        EXPECT_EQ(problem, "") << "case " << c << ", n " << one->input.boxes.size() << ", " << describe(one->params);
        failures += problem.empty() ? 0 : 1;
    }
}

TEST(NmsRandom, SmallCasesOfTheFusedEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::small, case_count(4000), 128, 11);
}

TEST(NmsRandom, SmallCasesOfTheBinnedEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::large, case_count(4000), 128, 12);
}

// The smallest frames use a separate engine if the device supports it.
TEST(NmsRandom, SmallCasesOfTheChosenEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::choose, case_count(4000), 256, 16);
}

TEST(NmsRandom, LargeCasesOfTheFusedEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::small, case_count(4000) / 40, 8192, 13);
}

TEST(NmsRandom, LargeCasesOfTheBinnedEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::large, case_count(4000) / 40, 20000, 14);
}

TEST(NmsRandom, LargeCasesOfTheChosenEngine) {
    TH_NEED_GPU();
    compare(gpu::FastEngine::choose, case_count(4000) / 40, 20000, 15);
}

}  // namespace
}  // namespace throng::test
