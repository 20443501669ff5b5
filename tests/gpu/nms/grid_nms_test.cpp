// Code paths of the grid engine that few random cases reach.
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "gpu/runtime/partial_device.h"
#include "tests/gpu/nms/engine_cases.h"

namespace throng::test {
namespace {

void compare(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1) {
    expect_as_cpu(gpu::FastEngine::grid, input, params, capacity);
}
void compare_both(const NmsInput& input, float theta = 0.5F) {
    compare(input, rule(NmsRule::one_pass, theta));
    compare(input, rule(NmsRule::greedy, theta));
}

// Disjoint boxes of 40 x 40 in rows of 128.
NmsInput grid_input(Random& random, std::size_t n) {
    std::uniform_real_distribution<float> score(0.0F, 1.0F);
    NmsInput input = clusters_input(random, n, 1);
    for (std::size_t i = 0; i < n; ++i) {
        input.boxes[i] = Box{static_cast<float>(i % 128) * 50, static_cast<float>(i / 128) * 50, 40, 40};
        input.scores[i] = score(random);
    }
    return input;
}

// Kept detections are sorted by buckets of the score range.
TEST(GridNms, AllAreKept) {
    TH_NEED_GPU();
    Random random(seed(51));
    for (const std::size_t n : {2047, 2048, 2049, 5000}) compare_both(grid_input(random, n));
}

TEST(GridNms, EqualScores) {
    TH_NEED_GPU();
    Random random(seed(52));
    for (const std::size_t n : {1500, 3000}) {
        for (const float steps : {1.0F, 8.0F, 256.0F}) {
            NmsInput sparse = grid_input(random, n);
            for (float& score : sparse.scores) score = std::floor(score * steps) / steps;
            compare_both(sparse);
            NmsInput crowd = clusters_input(random, n, 20);
            for (float& score : crowd.scores) score = std::floor(score * steps) / steps;
            compare_both(crowd);
        }
    }
}

// More detections suppress one than its list can hold.
TEST(GridNms, TruncatedLists) {
    TH_NEED_GPU();
    Random random(seed(53));
    compare_both(clusters_input(random, 900, 300));
    NmsInput input = clusters_input(random, 400, 20);
    const NmsInput copies = copies_input(100);
    for (std::size_t i = 0; i < 100; ++i) {
        input.boxes[i] = copies.boxes[i];
        input.scores[i] = copies.scores[i];
    }
    compare_both(shuffled(input, random));
    expect_few_hits_and_members(gpu::FastEngine::grid, input);
}

// In buffers for many detections fewer lanes search for one.
TEST(GridNms, InBuffersForMany) {
    TH_NEED_GPU();
    Random random(seed(58));
    NmsInput crowd = clusters_input(random, 3000, 20);
    for (float& score : crowd.scores) score = std::floor(score * 8) / 8;
    for (const NmsInput& input : {clusters_input(random, 900, 300), copies_input(700), crowd}) {
        for (const NmsRule which : {NmsRule::one_pass, NmsRule::greedy}) compare(input, rule(which, 0.5F), 140000);
    }
}

// The lower the threshold, the more rows and levels are searched.
TEST(GridNms, ManyRowsAndLevels) {
    TH_NEED_GPU();
    Random random(seed(54));
    std::uniform_real_distribution<float> power(-12.0F, 12.0F);
    NmsInput input = clusters_input(random, 1200, 30);
    for (const float theta : {0.02F, 0.1F, 0.3F, 0.9F}) compare_both(input, theta);
    for (Box& box : input.boxes) {
        const float scale = std::exp2(power(random));
        box.w *= scale;
        box.h *= scale;
    }
    for (const float theta : {0.02F, 0.3F, 0.7F}) compare_both(input, theta);
    NmsParams params = rule(NmsRule::greedy, 0.3F);
    params.overlap = Overlap::min;
    compare(input, params);
}

// If edges are rounded, and sums of edges are not finite, size is not a bound.
TEST(GridNms, FarFromTheOrigin) {
    TH_NEED_GPU();
    Random random(seed(55));
    for (const float far : {1e6F, 1e9F, 1e30F, 2e36F, 3e38F}) {
        NmsInput input = clusters_input(random, 600, 20);
        for (std::size_t i = 0; i < 20; ++i) {
            input.boxes[i].x += i % 2 == 0 ? far : -far;
            input.boxes[i].w = i % 3 == 0 ? far : input.boxes[i].w;
        }
        compare_both(input);
        NmsParams params = rule(NmsRule::greedy, 0.3F);
        params.pixels = PixelConvention::inclusive;
        compare(input, params);
    }
}

// Rows of cells that cross the end of the table, or of a segment of it.
TEST(GridNms, AcrossTheTable) {
    TH_NEED_GPU();
    Random random(seed(56));
    std::uniform_real_distribution<float> coordinate(-4e4F, 4e4F);
    NmsInput input = clusters_input(random, 4000, 8);
    for (std::size_t i = 0; i < input.boxes.size(); i += 8) {
        const float dx = coordinate(random);
        const float dy = coordinate(random);
        for (std::size_t k = i; k < i + 8; ++k) {
            input.boxes[k].x += dx;
            input.boxes[k].y += dy;
        }
    }
    compare_both(input);
    compare_both(input, 0.1F);
}

// A part of the device has fewer multiprocessors than the blocks that wait for each other would need.
TEST(GridNms, OnAPartOfTheDevice) {
    TH_NEED_GPU();
    std::optional<gpu::PartialDevice> part;
    try {
        part.emplace(gpu::use_device(0), 1);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) throw;
        GTEST_SKIP() << "skipped: " << error.what();
    }
    Random random(seed(59));
    const auto cpu = make_cpu_nms(1);
    const NmsInput input = clusters_input(random, 40000, 20);
    const NmsOutput expected = run_host_nms(*cpu, input, rule(NmsRule::greedy));
    DeviceNms device(gpu::FastEngine::grid, part->stream());
    EXPECT_EQ(
        difference(expected.kept, expected.invalid, device.run(input, rule(NmsRule::greedy)), rule(NmsRule::greedy)),
        "");
    NullRecorder recorder;
    const gpu::Graph graph = gpu::Graph::capture(device.stream(), [&] {
        device.engine().enqueue(device.raw(), device.kept(), rule(NmsRule::greedy), recorder);
    });
    device.transfer().upload({}, device.kept(), device.stream());
    graph.launch(device.stream());
    DetectionSet found;
    device.transfer().download(device.kept(), found, device.stream());
    EXPECT_EQ(difference(expected.kept, expected.invalid, found, rule(NmsRule::greedy)), "") << "from a graph";
}

// Data of a larger previous frame must not affect this one.
TEST(GridNms, FramesOfManySizes) {
    TH_NEED_GPU();
    Random random(seed(57));
    const auto cpu = make_cpu_nms(1);
    DeviceNms device(gpu::FastEngine::grid);
    for (const std::size_t n : {6000, 40, 3000, 0, 1, 6000, 2500}) {
        const NmsInput input = clusters_input(random, n, 20);
        for (const NmsRule which : {NmsRule::one_pass, NmsRule::greedy}) {
            const NmsOutput expected = run_host_nms(*cpu, input, rule(which));
            const DetectionSet found = device.run(input, rule(which), 6000);
            EXPECT_EQ(difference(expected.kept, expected.invalid, found, rule(which)), "") << "n " << n;
        }
    }
}

}  // namespace
}  // namespace throng::test
