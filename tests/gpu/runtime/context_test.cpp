// Only a device that is used gets a context, which takes half a gigabyte of its memory. Each case is a process of its own.
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/base/error.h"
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
