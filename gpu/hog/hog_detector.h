// The CUDA people detector: from a frame to raw detections in four launches.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/hog_model.h"
#include "gpu/frame/planned_detector.h"
#include "gpu/hog/hog_options.h"
#include "gpu/hog/hog_plan.h"

namespace throng::gpu {

class HogDetector final : public PlannedDetector<HogPlan> {
public:
    using ChooseKernels = HogKernels (*)(const HogOptions& options);

    // Work is enqueued on the stream, which must outlive the detector. Margins below params.score_threshold (default
    // kHogMargin) are not reported. min_size and max_size limit a window's height. choose: hog_kernels or
    // hog_step_kernels. Throws Error(usage, unavailable) as Backend::make_detector does.
    HogDetector(StreamView stream, const DeviceInfo& device, const HogModel& model, const DetectorParams& params,
                ChooseKernels choose);
    ~HogDetector() override { wait(); }

    void configure(const DetectorParams& params) override;
    [[nodiscard]] std::optional<float> score_threshold() const override {
        return params_.score_threshold.value_or(kHogMargin);
    }
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override { return hog_switches(options_); }

    [[nodiscard]] const HogOptions& options() const { return options_; }
    // Enqueues one kernel on the data of the last frame, for measurements, by its index in kHogKernels.
    // With floats normalize works in place, so a repeated run has no valid result.
    void enqueue_kernel(std::size_t kernel, DetectionBuffer& raw) const;

private:
    void make_plan(ImageSize frame) override;
    void enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) override;
    // clear: the count that the gradient sets to zero; may be null.
    void launch(std::size_t kernel, const HogGroup& group, const DeviceImage& image, DetectionCount* clear,
                const DetectionSpan& raw) const;

    HogOptions options_;
    ChooseKernels choose_;
    HogKernels kernels_;
    HogModel model_;
    DeviceBuffer<std::byte> d_weights_;
};

}  // namespace throng::gpu
