// Owners, probe, recorder and errors of the CUDA runtime layer.
#include <cuda_runtime_api.h>
#include <chrono>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/event_recorder.h"
#include "gpu/runtime/kept_memory.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/probe_kernel.h"
#include "gpu/runtime/replay.h"
#include "gpu/runtime/stream.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using namespace gpu;

static_assert(!std::is_copy_constructible_v<Stream> && std::is_nothrow_move_constructible_v<Stream>);
static_assert(!std::is_copy_constructible_v<Event> && std::is_nothrow_move_constructible_v<Event>);
static_assert(!std::is_copy_constructible_v<Graph> && std::is_nothrow_move_constructible_v<Graph>);
static_assert(!std::is_copy_constructible_v<DeviceBuffer<int>> &&
              std::is_nothrow_move_constructible_v<DeviceBuffer<int>>);

// Runs with and without a GPU: a machine without one must report a reason.
TEST(CudaProbe, IsUsableOrReportsReason) {
    const CudaProbe probe = probe_cuda();
    EXPECT_EQ(probe.usable, probe.reason.empty()) << probe.reason;
    EXPECT_GT(probe.runtime, 0);
    if (probe.usable) {
        EXPECT_FALSE(probe.devices.empty());
    } else {
        EXPECT_THROW(use_device(0), Error);
        try {
            use_device(0);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::unavailable);
            EXPECT_EQ(error.problem(), probe.devices.empty() ? probe.reason : probe.devices.front().unavailable_reason);
        }
    }
}

using Runtime = GpuTest;

// A PTX-only build for an older architecture also runs here, without the instructions of this device.
TEST_F(Runtime, ReportsArchitectureOfLoadedCode) {
    EXPECT_GE(device.code, 75);
    EXPECT_LE(device.code, 10 * device.major + device.minor);
    EXPECT_EQ(device.has_dependent_launch(), device.code >= 90);
}

TEST_F(Runtime, RejectsUnknownDevice) {
    for (const int index : {-1, 99}) {
        try {
            use_device(index);
            FAIL() << "device " << index;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        }
    }
}

TEST_F(Runtime, OutOfMemoryReportsSizeAndIsRecoverable) {
    try {
        const DeviceBuffer<std::byte> huge(device.memory * 2);
        FAIL() << "twice the memory of the device was allocated";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(error.where().text().find("MB"), std::string::npos) << error.what();
    }
    const DeviceBuffer<int> small(1000);
    EXPECT_NE(small.data(), nullptr);
    launch_empty(view());
    stream->synchronize();
}

TEST_F(Runtime, BuffersAreMovable) {
    DeviceBuffer<int> a(10);
    int* const address = a.data();
    DeviceBuffer<int> b(std::move(a));
    EXPECT_EQ(b.data(), address);
    EXPECT_EQ(b.size(), 10U);
    DeviceBuffer<int> empty(0);
    EXPECT_EQ(empty.data(), nullptr);
    empty = std::move(b);
    EXPECT_EQ(empty.data(), address);
}

// As for a folder of images of mixed sizes.
TEST_F(Runtime, BuffersForOneSizeAfterAnotherShareMemory) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(91));
    KeptMemory memory;
    const auto addresses = [&](std::size_t image, std::size_t table) {
        const KeptMemory::Use use(memory);
        const DeviceBuffer<std::byte> of_table(table);
        const DeviceBuffer<std::byte> of_image(image);
        fill_bytes(of_image, 1, view());
        return std::pair<const void*, const void*>(of_table.data(), of_image.data());
    };
    constexpr std::size_t kImage = 40U << 20;
    constexpr std::size_t kTable = 64U << 10;
    addresses(kImage / 2, kTable / 2);
    const auto largest = addresses(kImage, kTable);
    for (int turn = 0; turn < 40; ++turn) {
        const std::size_t image = kImage / 4 + random() % (kImage * 3 / 4);
        EXPECT_EQ(addresses(image, 1 + random() % kTable), largest) << "bytes: " << image;
    }
    {
        const KeptMemory::Use use(memory);
        EXPECT_THROW(DeviceBuffer<std::byte>(std::size_t{1} << 50), Error);
        const DeviceBuffer<std::byte> after(kImage);
        EXPECT_NE(after.data(), nullptr);
    }
}

// The memory of a transfer still holds the previous one.
TEST_F(Runtime, UploadsOnlyTheFieldsOfTheSet) {
    if (IsSkipped() || HasFatalFailure()) return;
    const OptionalFields all{true, 3, true};
    const DetectionSet::Landmarks points{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    DetectionSet full;
    full.detections.assign(5000, {{1, 2, 3, 4}, 0.5F, 6, 7});  // more than one copy has
    full.density.assign(5000, 0.25F);
    full.features.assign(15000, 0.75F);
    full.feature_size = 3;
    full.landmarks.assign(5000, points);
    DetectionSet plain;
    plain.detections = full.detections;
    for (const bool is_full : {true, false}) {
        DetectionBuffer buffer = make_device_buffer(6000, all, view());
        transfer.upload(is_full ? full : plain, buffer, view());
        const DetectionSet found = download(buffer);
        ASSERT_EQ(found.detections.size(), 5000U);
        EXPECT_EQ(found.detections.back().box.h, 4.0F);
        EXPECT_EQ(found.detections.back().source, 7);
        EXPECT_EQ(found.density, std::vector<float>(5000, is_full ? 0.25F : 0.0F));
        EXPECT_EQ(found.features, std::vector<float>(15000, is_full ? 0.75F : 0.0F));
        EXPECT_EQ(found.landmarks.back().xy[9], is_full ? 10.0F : 0.0F);
    }
}

TEST_F(Runtime, GraphReplaysCapturedWork) {
    const DeviceBuffer<std::uint8_t> buffer(16);
    const Graph graph = Graph::capture(view(), [&] { fill_bytes(buffer, 7, view()); });
    const auto contents = [&] {
        std::vector<std::uint8_t> bytes(buffer.size());
        copy_to_host(bytes.data(), buffer.data(), bytes.size(), view());
        stream->synchronize();
        return bytes;
    };
    fill_bytes(buffer, 1, view());
    EXPECT_EQ(contents(), std::vector<std::uint8_t>(16, 1)) << "capturing runs nothing";
    graph.launch(view());
    EXPECT_EQ(contents(), std::vector<std::uint8_t>(16, 7));
    EXPECT_EQ(time_replays(view(), 3, [&] { launch_empty(view()); }).size(), 3U);
    int calls = 0;
    const std::vector<double> times = time_calls(
        view(), 4,
        [&] {
            launch_empty(view());
            ++calls;
        },
        5);
    EXPECT_EQ(times.size(), 4U);
    EXPECT_GE(calls, 4 * 5) << "and a warm-up";
    for (const double ms : times) EXPECT_GT(ms, 0);
}

TEST_F(Runtime, FailedCaptureLeavesStreamUsable) {
    EXPECT_THROW(static_cast<void>(Graph::capture(view(), [] { throw Error(ErrorKind::internal, "on purpose"); })),
                 Error);
    launch_empty(view());
    stream->synchronize();
}

// Blocks that wait for each other would wait forever if some never start, and a captured launch is not checked.
TEST_F(Runtime, WaitingBlocksMustFitTheDevice) {
    const Graph graph = Graph::capture(view(), [&] {
        EXPECT_FALSE(launch_empty_resident(1'000'000, view()));
        EXPECT_TRUE(launch_empty_resident(1, view()));
    });
    graph.launch(view());
    stream->synchronize();
}

TEST_F(Runtime, DebugSyncWaitsForEachLaunch) {
    const DeviceBuffer<std::uint8_t> large(std::size_t{1} << 28);
    set_debug_sync(true);
    fill_bytes(large, 1, view());
    launch_empty(view());
    EXPECT_EQ(cudaStreamQuery(view()), cudaSuccess) << "the launch returned before the work on the stream was done";
    const Graph graph = Graph::capture(view(), [&] { launch_empty(view()); });  // no wait during capture
    set_debug_sync(false);
    graph.launch(view());
    stream->synchronize();
}

TEST_F(Runtime, RecorderReportsFinishedFrames) {
    EventRecorder recorder(view(), 4);
    StageTimes times;
    for (int frame = 0; frame < 20; ++frame) {
        recorder.begin("first");
        launch_empty(view());
        recorder.end("first");
        recorder.add("elsewhere", 2.5);
        recorder.begin("never ended");
        times = recorder.end_frame();
        if (frame % 3 == 0) stream->synchronize();
    }
    stream->synchronize();
    times = recorder.end_frame();
    EXPECT_EQ(recorder.end_frame().size(), times.size()) << "a frame without stages is not measured";
    ASSERT_EQ(times.size(), 2U);
    EXPECT_EQ(times[0].name, "elsewhere");
    EXPECT_EQ(times[0].ms, 2.5);
    EXPECT_EQ(times[1].name, "first");
    EXPECT_GT(times[1].ms, 0.0);
}

TEST_F(Runtime, RepeatedStageReportsSum) {
    EventRecorder recorder(view());
    const auto run_twice = [&]() -> const StageTimes& {
        recorder.add("a", 1.0);
        recorder.add("a", 2.0);
        return recorder.end_frame();
    };
    run_twice();
    stream->synchronize();
    const StageTimes& times = run_twice();  // of this frame if it has finished, else of the first
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].ms, 3.0);
}

}  // namespace
}  // namespace throng::test
