// Runs the CUDA engines on vectors, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu/nms/cuda_nms.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/stream.h"
#include "tests/support/nms_reference.h"
#include "tests/support/nms_run.h"

namespace throng::test {

// Skips the test with the reason if there is no usable GPU; with THRONG_REQUIRE_GPU=1 it fails instead.
#define TH_NEED_GPU()                                                                                \
    if (const gpu::CudaProbe probe_ = gpu::probe_cuda(); !probe_.usable) {                           \
        const char* required_ = std::getenv("THRONG_REQUIRE_GPU");                                   \
        if (required_ != nullptr && *required_ == '1') FAIL() << "no usable GPU: " << probe_.reason; \
        GTEST_SKIP() << "skipped: " << probe_.reason;                                                \
    }                                                                                                \
    static_assert(true)

inline DetectionSet set_of(const NmsInput& input) {
    DetectionSet set;
    set.density = input.density;
    set.features = input.features;
    set.feature_size = input.feature_size;
    for (std::size_t i = 0; i < input.boxes.size(); ++i) set.detections.push_back({input.boxes[i], input.scores[i]});
    return set;
}

// An engine with its stream and buffers.
class DeviceNms {
public:
    // stream: instead of one of its own.
    explicit DeviceNms(gpu::FastEngine engine = gpu::FastEngine::choose, gpu::StreamView stream = nullptr)
        : device_(gpu::use_device(0)),
          stream_(stream != nullptr ? stream : own_stream_.view()),
          nms_(device_, stream_, engine, expected_) {}

    // capacity -1: the number of detections.
    DetectionSet run(const NmsInput& input, const NmsParams& params, std::int32_t capacity = -1,
                     std::int32_t kept_capacity = -1) {
        const auto n = static_cast<std::int32_t>(input.boxes.size());
        const OptionalFields optional_fields{!input.density.empty(), input.feature_size, false};
        raw_ = gpu::make_device_buffer(capacity < 0 ? n : capacity, optional_fields, stream_);
        kept_ = gpu::make_device_buffer(kept_capacity < 0 ? raw_.capacity() : kept_capacity, {}, stream_);
        transfer_.upload(set_of(input), raw_, stream_);
        NullRecorder recorder;
        nms_.enqueue(raw_, kept_, params, recorder);
        DetectionSet out;
        transfer_.download(kept_, out, stream_);
        return out;
    }

    // Sets the number of detections that the engine expects, which is unknown before.
    void expect(std::uint32_t detections) { expected_->set(detections); }

    [[nodiscard]] gpu::CudaNms& engine() { return nms_; }
    [[nodiscard]] DetectionBuffer& raw() { return raw_; }
    [[nodiscard]] DetectionBuffer& kept() { return kept_; }
    [[nodiscard]] const gpu::DeviceInfo& device() const { return device_; }
    [[nodiscard]] gpu::StreamView stream() const { return stream_; }
    [[nodiscard]] gpu::DetectionTransfer& transfer() { return transfer_; }

private:
    gpu::DeviceInfo device_;
    gpu::Stream own_stream_;
    gpu::StreamView stream_;
    std::shared_ptr<gpu::ExpectedCount> expected_ = std::make_shared<gpu::ExpectedCount>();
    gpu::CudaNms nms_;
    gpu::DetectionTransfer transfer_;
    DetectionBuffer raw_;
    DetectionBuffer kept_;
};

// Returns a description of the first difference, empty if bit-identical. Gaussian Soft-NMS may differ by 1e-6.
inline std::string difference(const std::vector<Detection>& expected, std::uint32_t expected_invalid,
                              const DetectionSet& found, const NmsParams& params) {
    const auto text = [](const Detection& d) {
        return "(" + std::to_string(d.box.x) + " " + std::to_string(d.box.y) + " " + std::to_string(d.box.w) + " " +
               std::to_string(d.box.h) + ", score " + std::to_string(d.score) + ", hits " + std::to_string(d.hits) +
               ", source " + std::to_string(d.source) + ")";
    };
    if (found.invalid != expected_invalid) {
        return "invalid: expected " + std::to_string(expected_invalid) + ", found " + std::to_string(found.invalid);
    }
    if (found.total != expected.size()) {
        return "kept: expected " + std::to_string(expected.size()) + ", found " + std::to_string(found.total);
    }
    const double tolerance = params.rule == NmsRule::soft_gaussian ? 1e-6 : 0.0;
    for (std::size_t i = 0; i < found.detections.size(); ++i) {
        const Detection& a = expected[i];
        const Detection& b = found.detections[i];
        const bool same =
            a.box.x == b.box.x && a.box.y == b.box.y && a.box.w == b.box.w && a.box.h == b.box.h && a.hits == b.hits &&
            std::abs(static_cast<double>(a.score) - static_cast<double>(b.score)) <= tolerance && a.source == b.source;
        if (!same) return "rank " + std::to_string(i) + ": expected " + text(a) + ", found " + text(b);
    }
    return {};
}

}  // namespace throng::test
