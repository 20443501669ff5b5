// The CUDA detector for Haar and LBP cascades: from a frame to raw detections, with kernel launches only.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/cascade_options.h"
#include "gpu/cascade/cascade_switches.h"
#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/window_plan.h"
#include "gpu/frame/cuda_detector.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/runtime/kept_memory.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

class CascadeDetector final : public CudaDetector {
public:
    // Work is enqueued on the stream, which must outlive the detector. params.switches override `options`. Throws
    // Error(usage, unavailable, input) as Backend::make_detector does.
    CascadeDetector(StreamView stream, const DeviceInfo& device, const CascadeModel& model,
                    const DetectorParams& params, const CascadeOptions& options = {});
    ~CascadeDetector() override;

    void enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                      const FollowingWork& next) override;
    [[nodiscard]] bool reserve(std::uint32_t candidates) override;
    void configure(const DetectorParams& params) override;
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override { return describe_switches(options_); }

    [[nodiscard]] const CascadeOptions& options() const { return options_; }
    // Valid until the next configure with other switches.
    void set_options(const CascadeOptions& options);

    // Returns the first stage of each segment, followed by the number of stages.
    [[nodiscard]] const std::vector<int>& segments() const { return segments_; }
    // Returns the windows of a frame and the device memory of windows and pyramid; null before the first frame.
    [[nodiscard]] const WindowPlan* plan() const { return plan_ ? &*plan_ : nullptr; }

    // Returns the windows of the last frame that passed from each segment to the next. Waits for the frame; intended for
    // measurements.
    [[nodiscard]] std::vector<std::int64_t> read_queued() const;

private:
    void choose_segments(const CascadeOptions& options);
    // Tests if a last segment from this stage on is evaluated by the tail.
    [[nodiscard]] bool has_tail(int first) const;
    void prepare(ImageSize frame);
    void drop_plan();  // with the graphs, which write its memory
    void enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder);
    void enqueue_group(int g, const WindowTask& task, StreamView stream) const;
    void enqueue_groups_apart(const DeviceImage& image, const WindowTask& task, const ClearWords& clear);

    StreamView stream_;
    int device_;
    KernelChoice choice_;
    DetectorParams params_;
    const CascadeOptions defaults_;  // used where params_.switches has no entry
    CascadeOptions options_;
    DeviceCascade cascade_;
    FrameIntake intake_;
    std::vector<int> segments_;
    std::optional<FirstStages> first_stages_;  // of the first segment, if it is evaluated in pairs
    std::int64_t reserved_ = 0;                // windows that a queue must hold, by the frames so far
    KeptMemory memory_;                        // of the plan
    std::optional<WindowPlan> plan_;
    std::vector<Stream> side_streams_;
    std::vector<Event> side_done_;
    std::optional<Event> fork_;
    FrameGraphs graphs_;
    bool rows_only_ = false;  // the launches need no integral images (WindowTask)
};

// Creates the detector for params.kind haar or lbp; the model is resolved as in core/model/model_finder.h.
[[nodiscard]] std::unique_ptr<Detector> make_cascade_detector(StreamView stream, const DeviceInfo& device,
                                                              const DetectorParams& params,
                                                              const CascadeOptions& options = {});

}  // namespace throng::gpu
