// libthrong_nms on device arrays equals torchvision's definition, written as plain loops; the modes that need a device:
// capture into a graph, workspace, pointers of the wrong memory.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/api/throng_nms.h"
#include "core/base/error.h"
#include "gpu/runtime/partial_device.h"
#include "gpu/runtime/stream.h"
#include "tests/gpu/api/device_array.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/forked.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"
#include "tests/support/torchvision_nms.h"

namespace throng::test {
namespace {

class DeviceNmsLibrary : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!stream) return;  // skipped or failed
        ASSERT_EQ(throng_nms_create(&nms_, THRONG_NMS_ABI, THRONG_DEVICE, 0), THRONG_OK) << throng_nms_error(nullptr);
    }
    void TearDown() override { throng_nms_destroy(nms_); }

    std::size_t workspace_bytes(const throng_nms_params& params, std::int64_t n) {
        std::size_t bytes = 0;
        EXPECT_EQ(throng_nms_workspace_size(nms_, &params, n, &bytes), THRONG_OK);
        return bytes;
    }

    template <class Element>
    void compare(const throng_nms_params& params, throng_nms_input input, const std::vector<Element>& boxes,
                 const std::vector<Element>& scores, const std::vector<std::uint32_t>& classes,
                 const std::vector<std::uint32_t>& images, const std::vector<IndexAndHits>& expected) {
        const std::size_t n = scores.size();
        const gpu::StreamView work = view();
        const DeviceArray<Element> d_boxes(boxes, work), d_scores(scores, work);
        const DeviceArray<std::int64_t> d_classes(std::vector<std::int64_t>(classes.begin(), classes.end()), work);
        const DeviceArray<std::int64_t> d_images(std::vector<std::int64_t>(images.begin(), images.end()), work);
        // Filled with ones: the workspace needs no initialization.
        const DeviceArray<std::uint8_t> workspace(
            std::vector<std::uint8_t>(workspace_bytes(params, static_cast<std::int64_t>(n)), 0xFF), work);
        input.num_boxes = static_cast<std::int64_t>(n);
        input.boxes = d_boxes.data();
        input.scores = d_scores.data();
        input.class_ids = classes.empty() ? nullptr : d_classes.data();
        input.image_ids = images.empty() ? nullptr : d_images.data();
        // Without hits, few boxes take one launch.
        for (const bool with_hits : {true, false}) {
            if (!with_hits && params.min_hits > 1) break;
            const DeviceArray<std::int64_t> d_indices(std::vector<std::int64_t>(n, -1), work);
            const DeviceArray<std::int32_t> d_hits(std::vector<std::int32_t>(n, -1), work);
            const DeviceArray<std::uint8_t> d_mask(std::vector<std::uint8_t>(n, 7), work);
            const DeviceArray<std::int64_t> d_count(std::vector<std::int64_t>{-1}, work);
            throng_nms_output output = throng_nms_output_default();
            output.capacity = input.num_boxes;
            output.indices = d_indices.data();
            if (with_hits) output.hits = d_hits.data();
            output.mask = d_mask.data();
            output.count = d_count.data();
            ASSERT_EQ(throng_nms_run(nms_, &params, &input, &output, workspace.data(),
                                     workspace_bytes(params, input.num_boxes), work),
                      THRONG_OK)
                << throng_nms_error(nms_);
            const std::vector<std::int64_t> indices = d_indices.download();
            const std::vector<std::int32_t> hits = d_hits.download();
            ASSERT_EQ(d_count.download()[0], static_cast<std::int64_t>(expected.size())) << "hits: " << with_hits;
            std::vector<std::uint8_t> mask(n, 0);
            for (std::size_t k = 0; k < expected.size(); ++k) {
                ASSERT_EQ(indices[k], expected[k].first) << "at " << k << ", hits: " << with_hits;
                ASSERT_EQ(hits[k], with_hits ? expected[k].second : -1) << "at " << k;
                mask[expected[k].first] = 1;
            }
            EXPECT_EQ(d_mask.download(), mask) << "hits: " << with_hits;
        }
    }

    template <class Real>
    void compare_random(std::uint64_t fixed_seed, std::int32_t dtype) {
        Random random(seed(fixed_seed));
        for (std::size_t trial = 0; trial < case_count(300); ++trial) {
            const std::size_t sizes[] = {0, 1, 63, 64, 65, 1023, 1024, 1025, 2500, random() % 300};
            const std::size_t n = sizes[random() % 10];
            const NmsInput in = random() % 2 == 0 ? clusters_input(random, n, 10) : random_nms_input(random, n);
            std::vector<Real> boxes, scores;
            std::vector<std::uint32_t> classes;
            for (std::size_t i = 0; i < n; ++i) {
                const auto x = static_cast<Real>(in.boxes[i].x);
                const auto y = static_cast<Real>(in.boxes[i].y);
                boxes.insert(boxes.end(),
                             {x, y, x + static_cast<Real>(in.boxes[i].w), y + static_cast<Real>(in.boxes[i].h)});
                scores.push_back(static_cast<Real>(in.scores[i]));
                if (trial % 7 == 3) scores[i] = Real{0.5F};  // then the index orders them
                if (trial % 7 == 5) scores[i] = std::floor(scores[i] * 8) / 8;
                // As float32, neighbors in order and large scores are equal.
                if (random() % 20 == 0) scores[i] = scores[random() % (i + 1)] * static_cast<Real>(1 + 1e-12);
                if (random() % 50 == 0) scores[i] *= std::numeric_limits<Real>::max();
                if (random() % 50 == 0) scores[i] = -std::numeric_limits<Real>::infinity();
                if (random() % 50 == 0) scores[i] = std::numeric_limits<Real>::quiet_NaN();
                if (random() % 50 == 0) boxes[i * 4 + random() % 4] = std::numeric_limits<Real>::quiet_NaN();
                if (random() % 50 == 0) boxes[i * 4 + random() % 4] = -std::numeric_limits<Real>::infinity();
                if (random() % 50 == 0) {  // where a device puts boxes that overlap none
                    const auto left = static_cast<Real>(-0x1p24 - 128.0 * static_cast<double>(random() % 4));
                    boxes.resize(i * 4);
                    boxes.insert(boxes.end(), {left, 0, left + 64, 64});
                }
                if (random() % 50 == 0) {  // twice its width is infinite, its area is not
                    const Real right = std::numeric_limits<Real>::max() / 3;
                    const Real height = Real{1e18F} / right;
                    const Real top = static_cast<Real>(random() % 2) * (height / 2);
                    boxes.resize(i * 4);
                    boxes.insert(boxes.end(), {-right, top, right, top + height});
                }
                if (trial % 2 == 0) classes.push_back(static_cast<std::uint32_t>(random() % 4));
            }
            throng_nms_params params = throng_nms_params_torchvision();
            const double thresholds[] = {0.0, 0.3, 0.5, 1.0, std::uniform_real_distribution<double>(0, 1)(random)};
            params.theta = thresholds[random() % 5];
            params.min_hits = trial % 5 == 0 ? 2 : 1;
            std::vector<IndexAndHits> expected;
            for (const IndexAndHits& kept : torchvision_nms(boxes, scores, classes, params.theta)) {
                if (kept.second >= params.min_hits) expected.push_back(kept);
            }
            throng_nms_input input = throng_nms_input_default();
            input.dtype = dtype;
            compare(params, input, boxes, scores, classes, {}, expected);
            if (HasFatalFailure()) FAIL() << "trial " << trial << ", " << n << " boxes, theta " << params.theta;
        }
    }

    // Compares a call, and replays of one that was captured, on new contents of the same arrays.
    void compare_replays(gpu::StreamView work, std::size_t n) {
        Random random(seed(75));
        const DeviceArray<float> d_boxes(std::vector<float>(4 * n), work), d_scores(std::vector<float>(n), work);
        const DeviceArray<std::int64_t> d_indices(std::vector<std::int64_t>(n), work), d_count({0}, work);
        const throng_nms_params params = throng_nms_params_torchvision();
        const std::size_t bytes = workspace_bytes(params, static_cast<std::int64_t>(n));
        const DeviceArray<std::uint8_t> workspace(std::vector<std::uint8_t>(bytes), work);
        throng_nms_input input = throng_nms_input_default();
        input.num_boxes = static_cast<std::int64_t>(n);
        input.boxes = d_boxes.data();
        input.scores = d_scores.data();
        throng_nms_output output = throng_nms_output_default();
        output.capacity = input.num_boxes;
        output.indices = d_indices.data();
        output.count = d_count.data();
        const auto run = [&] {
            EXPECT_EQ(throng_nms_run(nms_, &params, &input, &output, workspace.data(), bytes, work), THRONG_OK)
                << throng_nms_error(nms_);
        };
        const gpu::Graph graph = gpu::Graph::capture(work, run);
        for (int replay = 0; replay < 4; ++replay) {
            const NmsInput in = clusters_input(random, n, 10);
            std::vector<float> boxes;
            for (const Box& box : in.boxes) boxes.insert(boxes.end(), {box.x, box.y, box.x + box.w, box.y + box.h});
            d_boxes.upload(boxes);
            d_scores.upload(in.scores);
            if (replay == 0) {
                run();
            } else {
                graph.launch(work);
            }
            const std::vector<IndexAndHits> expected = torchvision_nms(boxes, in.scores, {}, params.theta);
            ASSERT_EQ(d_count.download()[0], static_cast<std::int64_t>(expected.size()));
            const std::vector<std::int64_t> indices = d_indices.download();
            for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(indices[k], expected[k].first);
        }
    }

    throng_nms* nms_ = nullptr;
};

TEST_F(DeviceNmsLibrary, FloatEqualsTorchvisionsLoops) {
    compare_random<float>(71, THRONG_FLOAT32);
}
TEST_F(DeviceNmsLibrary, DoubleEqualsTorchvisionsLoops) {
    compare_random<double>(72, THRONG_FLOAT64);
}

// Halves with one bit set to 1.0 (0x3C00 + k): the same values as float32 give the expectation.
TEST_F(DeviceNmsLibrary, HalfIsWidenedFirst) {
    Random random(seed(73));
    const std::size_t n = 500;
    std::vector<std::uint16_t> boxes, scores;
    std::vector<float> wide_boxes, wide_scores;
    const auto half = [](std::uint32_t integer) {  // 1 to 1023, exact
        int exponent = 0;
        const double fraction = std::frexp(static_cast<double>(integer), &exponent);
        return static_cast<std::uint16_t>((exponent + 14) << 10 | (static_cast<int>(fraction * 2048) & 0x3FF));
    };
    for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<std::uint32_t>(1 + random() % 100),
                   y = static_cast<std::uint32_t>(1 + random() % 100);
        const std::uint32_t corners[] = {x, y, x + 1 + static_cast<std::uint32_t>(random() % 50),
                                         y + 1 + static_cast<std::uint32_t>(random() % 50)};
        for (const std::uint32_t value : corners) {
            boxes.push_back(half(value));
            wide_boxes.push_back(static_cast<float>(value));
        }
        const auto score = static_cast<std::uint32_t>(1 + random() % 100);
        scores.push_back(half(score));
        wide_scores.push_back(static_cast<float>(score));
    }
    throng_nms_params params = throng_nms_params_torchvision();
    throng_nms_input input = throng_nms_input_default();
    input.dtype = THRONG_FLOAT16;
    compare(params, input, boxes, scores, {}, {}, torchvision_nms(wide_boxes, wide_scores, {}, params.theta));
}

// Images come first in the order; each alone gives its part.
TEST_F(DeviceNmsLibrary, ImagesComeFirst) {
    Random random(seed(74));
    const NmsInput in = clusters_input(random, 3000, 10);
    std::vector<float> boxes;
    std::vector<std::uint32_t> images;
    for (const Box& box : in.boxes) {
        boxes.insert(boxes.end(), {box.x, box.y, box.x + box.w, box.y + box.h});
        images.push_back(static_cast<std::uint32_t>(random() % 5));
    }
    const throng_nms_params params = throng_nms_params_torchvision();
    std::vector<IndexAndHits> expected = torchvision_nms(boxes, in.scores, images, params.theta);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](const IndexAndHits& a, const IndexAndHits& b) { return images[a.first] < images[b.first]; });
    compare(params, throng_nms_input_default(), boxes, in.scores, {}, images, expected);
}

TEST_F(DeviceNmsLibrary, RejectsWhatTheDeviceCannotDo) {
    const gpu::StreamView work = view();
    const DeviceArray<float> d_boxes({0, 0, 1, 1}, work), d_scores({1}, work);
    const DeviceArray<std::int64_t> d_count({0}, work);
    throng_nms_params params = throng_nms_params_torchvision();
    const std::size_t bytes = workspace_bytes(params, 1);
    const DeviceArray<std::uint8_t> workspace(std::vector<std::uint8_t>(bytes + 256), work);
    throng_nms_input input = throng_nms_input_default();
    input.num_boxes = 1;
    input.boxes = d_boxes.data();
    input.scores = d_scores.data();
    throng_nms_output output = throng_nms_output_default();
    output.count = d_count.data();
    std::size_t unused = 0;
    const auto run = [&](void* memory, std::size_t size) {
        return throng_nms_run(nms_, &params, &input, &output, memory, size, work);
    };
    EXPECT_EQ(run(workspace.data(), bytes), THRONG_OK) << throng_nms_error(nms_);
    for (const auto& [memory, size] :
         {std::pair<void*, std::size_t>{nullptr, 0}, {workspace.data(), bytes - 1}, {workspace.data() + 1, bytes}}) {
        EXPECT_EQ(run(memory, size), THRONG_ERROR_USAGE);
        EXPECT_NE(std::string(throng_nms_error(nms_)).find("workspace"), std::string::npos) << throng_nms_error(nms_);
    }
    params = throng_nms_params_default();
    params.rule = THRONG_NMS_SOFT_LINEAR;
    params.score_min = -1;
    const std::size_t soft_bytes = workspace_bytes(params, 1);
    const DeviceArray<std::uint8_t> soft_workspace(std::vector<std::uint8_t>(soft_bytes), work);
    EXPECT_EQ(run(soft_workspace.data(), soft_bytes), THRONG_OK) << throng_nms_error(nms_);
    input.class_ids = d_count.data();
    EXPECT_EQ(run(soft_workspace.data(), soft_bytes), THRONG_ERROR_UNAVAILABLE);
    EXPECT_NE(std::string(throng_nms_error(nms_)).find("score_min"), std::string::npos) << throng_nms_error(nms_);
    params.score_min = 0;
    params.max_output = 1;
    EXPECT_EQ(run(soft_workspace.data(), soft_bytes), THRONG_ERROR_UNAVAILABLE);
    EXPECT_NE(std::string(throng_nms_error(nms_)).find("max_output"), std::string::npos) << throng_nms_error(nms_);
    EXPECT_EQ(throng_nms_workspace_size(nms_, &params, (std::int64_t{1} << 24) + 1, &unused), THRONG_ERROR_UNAVAILABLE);
    throng_nms* other = nullptr;
    EXPECT_EQ(throng_nms_create(&other, THRONG_NMS_ABI, THRONG_DEVICE, 4096), THRONG_ERROR_UNAVAILABLE);
    EXPECT_EQ(other, nullptr);
}

TEST_F(DeviceNmsLibrary, DebugModeFindsHostPointers) {
    setenv("THRONG_CHECK_POINTERS", "1", 1);
    throng_nms* checking = nullptr;
    ASSERT_EQ(throng_nms_create(&checking, THRONG_NMS_ABI, THRONG_DEVICE, 0), THRONG_OK);
    unsetenv("THRONG_CHECK_POINTERS");
    const gpu::StreamView work = view();
    const throng_nms_params params = throng_nms_params_torchvision();
    const DeviceArray<std::uint8_t> workspace(std::vector<std::uint8_t>(workspace_bytes(params, 1)), work);
    const DeviceArray<std::int64_t> d_count({0}, work);
    const std::vector<float> host(4);
    throng_nms_input input = throng_nms_input_default();
    input.num_boxes = 1;
    input.boxes = host.data();
    input.scores = host.data();
    throng_nms_output output = throng_nms_output_default();
    output.count = d_count.data();
    EXPECT_EQ(throng_nms_run(checking, &params, &input, &output, workspace.data(), workspace_bytes(params, 1), work),
              THRONG_ERROR_USAGE);
    EXPECT_NE(std::string(throng_nms_error(checking)).find("input.boxes"), std::string::npos)
        << throng_nms_error(checking);
    throng_nms_destroy(checking);
}

// Calls of several threads with one handle succeed or are rejected; those that succeed have the right results.
TEST_F(DeviceNmsLibrary, ASecondThreadIsBusy) {
    Random random(seed(76));
    const NmsInput in = clusters_input(random, 1500, 10);
    std::vector<float> boxes;
    for (const Box& box : in.boxes) boxes.insert(boxes.end(), {box.x, box.y, box.x + box.w, box.y + box.h});
    const throng_nms_params params = throng_nms_params_torchvision();
    const auto n = static_cast<std::int64_t>(in.scores.size());
    const std::size_t bytes = workspace_bytes(params, n);
    const auto expected = static_cast<std::int64_t>(torchvision_nms(boxes, in.scores, {}, params.theta).size());
    const DeviceArray<float> d_boxes(boxes, view()), d_scores(in.scores, view());
    constexpr int kThreads = 4;
    constexpr int kCalls = 50;
    std::atomic<int> done{0};
    std::atomic<int> busy{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            const gpu::Stream own;
            const DeviceArray<std::uint8_t> workspace(std::vector<std::uint8_t>(bytes), own.view());
            const DeviceArray<std::int64_t> d_count({-1}, own.view());
            throng_nms_input input = throng_nms_input_default();
            input.num_boxes = n;
            input.boxes = d_boxes.data();
            input.scores = d_scores.data();
            throng_nms_output output = throng_nms_output_default();
            output.count = d_count.data();
            for (int k = 0; k < kCalls; ++k) {
                d_count.upload({-1});
                const throng_status status =
                    throng_nms_run(nms_, &params, &input, &output, workspace.data(), bytes, own.view());
                const std::int64_t count = d_count.download()[0];
                if (status == THRONG_OK && count == expected) ++done;
                if (status == THRONG_ERROR_BUSY && count == -1) ++busy;  // nothing is written
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(done, 0);
    EXPECT_EQ(done + busy, kThreads * kCalls);
}

TEST_F(DeviceNmsLibrary, AForkedProcessIsToldWhyNot) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::size_t bytes = 0;
    const throng_nms_params params = throng_nms_params_default();
    EXPECT_TRUE(holds_in_fork([&] {
        EXPECT_EQ(throng_nms_workspace_size(nms_, &params, 100, &bytes), THRONG_ERROR_USAGE);
        EXPECT_NE(std::string(throng_nms_error(nms_)).find("made before fork"), std::string::npos);
        throng_nms_destroy(nms_);
        EXPECT_EQ(throng_nms_create(&nms_, THRONG_NMS_ABI, THRONG_DEVICE, 0), THRONG_ERROR_UNAVAILABLE);
    }));
    EXPECT_EQ(throng_nms_workspace_size(nms_, &params, 100, &bytes), THRONG_OK);
}

TEST_F(DeviceNmsLibrary, CanBeCapturedIntoAGraph) {
    if (IsSkipped() || HasFatalFailure()) return;
    compare_replays(view(), 2500);
}

// A caller's stream may have a part of the device, with fewer multiprocessors than the single launch needs.
TEST_F(DeviceNmsLibrary, OnAPartOfTheDevice) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::optional<gpu::PartialDevice> part;
    try {
        part.emplace(device, 1);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) throw;
        GTEST_SKIP() << "skipped: " << error.what();
    }
    for (const std::size_t n : {200U, 2500U, 20000U}) compare_replays(part->stream(), n);
}

}  // namespace
}  // namespace throng::test
