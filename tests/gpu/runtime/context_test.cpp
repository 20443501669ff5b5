// Only a device that is used gets a context, which takes half a gigabyte of its memory. Each case is a process of its own.
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "gpu/backend.h"
#include "gpu/frame/device_converter.h"
#include "gpu/runtime/probe_kernel.h"
#include "gpu/runtime/stream.h"
#include "tests/gpu/device_contexts.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/forked.h"

namespace throng::test {
namespace {

using namespace gpu;

class Contexts : public UnusedGpuTest {
protected:
    void SetUp() override {
        UnusedGpuTest::SetUp();
        ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // starts the program anew
    }
};

TEST_F(Contexts, AListOfTheDevicesNeedsNone) {
    if (IsSkipped() || HasFatalFailure()) return;
    EXPECT_EXIT(std::_Exit(static_cast<int>(devices_with_context().size())), ::testing::ExitedWithCode(0), "");
}

TEST_F(Contexts, OnlyTheDeviceInUseHasOne) {
    for (const DeviceInfo& device : probe.devices) {
        const auto use = [&] {
            const DeviceInfo used = use_device(device.index);
            const bool known = used.code >= 75 && cuda_problem(device.index).empty();
            const Stream stream;
            launch_empty(stream.view());
            stream.synchronize();
            // A new thread, such as one of GStreamer's, begins with the first device.
            std::thread([&] { static_cast<void>(make_device_converter(device.index)->can_read(&stream)); }).join();
            std::_Exit(known && devices_with_context() == std::vector<int>{device.index} ? 0 : 1);
        };
        EXPECT_EXIT(use(), ::testing::ExitedWithCode(0), "") << "device " << device.index;
    }
}

// More detections than one copy has, on a thread that begins with the first device.
TEST_F(Contexts, ResultsAreReadOnAnyThread) {
    for (const DeviceInfo& device : probe.devices) {
        const auto use = [&] {
            const std::shared_ptr<Backend> backend = make_cuda_backend(device.index);
            DetectionSet set;
            set.detections.assign(5000, {{1, 2, 3, 4}, 0.5F, 6, 7});
            DetectionBuffer buffer = backend->make_buffer(6000, {});
            backend->upload(set, buffer);
            const std::unique_ptr<FrameReadback> readback = backend->make_readback();
            Frame frame = FramePool().take(PixelFormat::gray8, 8, 8).finish();
            readback->start(buffer, buffer, frame, {true});
            DetectionSet raw, kept;
            std::thread([&] { readback->finish(raw, kept, frame); }).join();
            const bool read = raw.detections.size() == 5000 && kept.detections.size() == 5000 &&
                              raw.detections.back().source == 7 && kept.detections.back().box.h == 4.0F;
            std::_Exit(read && devices_with_context() == std::vector<int>{device.index} ? 0 : 1);
        };
        EXPECT_EXIT(use(), ::testing::ExitedWithCode(0), "") << "device " << device.index;
    }
}

// CUDA works in no process that is forked after its first use.
TEST_F(Contexts, AForkedProcessIsToldThatItHasNone) {
    if (IsSkipped() || HasFatalFailure()) return;
    EXPECT_TRUE(holds_in_fork([&] {
        const CudaProbe copy = probe_cuda();
        EXPECT_FALSE(copy.usable);
        EXPECT_NE(copy.reason.find("forked"), std::string::npos) << copy.reason;
        EXPECT_EQ(cuda_problem(0), copy.reason);
        try {
            use_device(0);
            FAIL() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        }
    }));
}

}  // namespace
}  // namespace throng::test
