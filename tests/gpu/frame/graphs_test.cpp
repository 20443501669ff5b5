// When the launches of a frame are replayed as a graph, and when they are launched.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/frame/frame_graphs.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/event_recorder.h"
#include "tests/gpu/gpu_fixture.h"

namespace throng::test {
namespace {

using namespace throng::gpu;

class GraphsTest : public GpuTest {
protected:
    void TearDown() override { set_debug_sync(false); }

    // Runs a frame, checks that its work is done, and returns how often it was enqueued: a replay enqueues none.
    int run(StageRecorder& recorder, bool waits = false) {
        const DeviceBuffer<std::uint8_t>& out = *buffer_;
        fill_bytes(out, 0, view());
        int calls = 0;
        graphs_.run(view(), true, {}, {}, 0, recorder, {}, [&](StageRecorder&) {
            ++calls;
            fill_bytes(out, 7, view());
            if (waits) check_cuda(cudaStreamSynchronize(view()), "waiting, which a capture cannot contain");
        });
        std::vector<std::uint8_t> found(out.size());
        copy_to_host(found.data(), out.data(), found.size(), view());
        EXPECT_EQ(found, std::vector<std::uint8_t>(out.size(), 7));
        return calls;
    }

    void SetUp() override {
        GpuTest::SetUp();
        if (probe.usable) buffer_.emplace(64);
    }

    NullRecorder none;

private:
    std::optional<DeviceBuffer<std::uint8_t>> buffer_;
    FrameGraphs graphs_;
};

TEST_F(GraphsTest, ReplaysFromTheThirdFrameOn) {
    if (IsSkipped()) return;
    EXPECT_EQ(run(none), 1);
    EXPECT_EQ(run(none), 1) << "the capture";
    EXPECT_EQ(run(none), 0);
    EventRecorder measured(view());
    EXPECT_EQ(run(measured), 1) << "stages are measured";
    EXPECT_EQ(run(none), 0);
    set_debug_sync(true);
    EXPECT_EQ(run(none), 1) << "each launch is waited for";
    set_debug_sync(false);
    EXPECT_EQ(run(none), 0);
}

TEST_F(GraphsTest, LaunchesWhatCannotBeCaptured) {
    if (IsSkipped()) return;
    EXPECT_EQ(run(none, true), 1);
    EXPECT_EQ(run(none, true), 2) << "the capture fails";
    EXPECT_EQ(run(none, true), 1);
    EXPECT_EQ(run(none), 1) << "graphs are given up";
}

}  // namespace
}  // namespace throng::test
