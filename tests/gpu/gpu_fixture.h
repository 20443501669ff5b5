// Fixture for tests that need a CUDA device. Without one they are skipped with the reason, or fail with
// THRONG_REQUIRE_GPU=1.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/detect/detector.h"
#include "core/detect/null_recorder.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::test {

// Uses no device itself.
class UnusedGpuTest : public ::testing::Test {
protected:
    void SetUp() override {
        probe = gpu::probe_cuda();
        if (probe.usable) return;
        const char* required = std::getenv("THRONG_REQUIRE_GPU");
        if (required != nullptr && std::string_view(required) == "1") FAIL() << "no usable GPU: " << probe.reason;
        GTEST_SKIP() << "skipped: no usable GPU: " << probe.reason;
    }

    gpu::CudaProbe probe;
};

class GpuTest : public UnusedGpuTest {
protected:
    void SetUp() override {
        UnusedGpuTest::SetUp();
        if (!probe.usable) return;
        device = gpu::use_device(0);
        stream.emplace();
    }

    [[nodiscard]] gpu::StreamView view() const { return stream->view(); }

    DetectionSet download(const DetectionBuffer& buffer) {
        DetectionSet set;
        transfer.download(buffer, set, view());
        return set;
    }

    // Returns the raw detections of a frame, with as much memory for candidates as it needs.
    DetectionSet raw_detections(Detector& detector, const Frame& frame, DetectionBuffer& raw) {
        NullRecorder recorder;
        DetectionSet set;
        do {
            detector.enqueue(frame, raw, recorder);
            set = download(raw);
        } while (detector.reserve(set.candidates));
        return set;
    }

    gpu::DeviceInfo device;
    std::optional<gpu::Stream> stream;
    gpu::DetectionTransfer transfer;
};

}  // namespace throng::test
