// The CUDA people detector: from a frame to raw detections in four launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/hog_model.h"
#include "gpu/frame/cuda_detector.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/hog/hog_options.h"
#include "gpu/hog/hog_plan.h"
#include "gpu/runtime/kept_memory.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

class HogDetector final : public CudaDetector {
public:
    using ChooseKernels = HogKernels (*)(const HogOptions& options);

    // Work is enqueued on the stream, which must outlive the detector. choose: hog_kernels or hog_step_kernels. Throws
    // Error(usage, unavailable) as Backend::make_detector does.
    HogDetector(StreamView stream, const DeviceInfo& device, const HogModel& model, const DetectorParams& params,
                ChooseKernels choose);
    ~HogDetector() override;

    // Margins below params.score_threshold (default kHogMargin) are not reported. min_size and max_size limit a window's
    // height.
    void enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                      const FollowingWork& next) override;
    void configure(const DetectorParams& params) override;
    [[nodiscard]] std::optional<float> score_threshold() const override {
        return params_.score_threshold.value_or(kHogMargin);
    }
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override { return hog_switches(options_); }

    [[nodiscard]] const HogOptions& options() const { return options_; }
    // Returns the levels and their device memory; null before the first frame.
    [[nodiscard]] const HogPlan* plan() const { return plan_ ? &*plan_ : nullptr; }

    // For tests and measurements. Returns the values of a level of the last frame, [block row][value][column], with one
    // column per block of the level; waits. Empty if several groups of levels shared the memory.
    [[nodiscard]] std::vector<float> read_blocks(std::size_t level) const;
    // Enqueues one kernel on the data of the last frame: 0 gradient, 1 histogram, 2 normalize, 3 svm. With floats
    // normalize works in place, so a repeated run has no valid result.
    void enqueue_kernel(int kernel, DetectionBuffer& raw) const;

private:
    void drop_plan();  // with the graphs, which write its memory
    void enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) const;
    [[nodiscard]] HogTables tables() const;
    [[nodiscard]] HogOutput output(const DetectionSpan& raw) const;

    StreamView stream_;
    DeviceInfo device_;
    DetectorParams params_;
    HogOptions options_;
    ChooseKernels choose_;
    HogKernels kernels_;
    HogModel model_;
    DeviceBuffer<std::byte> d_weights_;
    FrameIntake intake_;
    KeptMemory memory_;  // of the plan
    std::optional<HogPlan> plan_;
    DeviceImage last_;
    FrameGraphs graphs_;
};

}  // namespace throng::gpu
