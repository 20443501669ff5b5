// A detector whose launches follow a plan for one frame size.
#pragma once

#include <optional>

#include "gpu/frame/atlas.h"
#include "gpu/frame/cuda_detector.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/runtime/kept_memory.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// Plan: has frame(), the size, and empty(): no window fits.
template <class Plan>
class PlannedDetector : public CudaDetector {
public:
    void enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                      const FollowingWork& next) final {
        begin_frame(device_.index, raw);
        if (!plan_ || plan_->frame().width != frame.width() || plan_->frame().height != frame.height()) {
            drop_plan();  // first: both plans may not fit in memory
            const KeptMemory::Use use(memory_);
            make_plan({frame.width(), frame.height()});
        }
        if (plan_->empty()) {
            clear_detections(raw.span(), stream_);
            if (next.enqueue) next.enqueue(recorder);
            return;
        }
        const FrameIntake::Reading reading(intake_);
        image_ = intake_.take(frame, chroma_, recorder);
        graphs_.run(stream_, graph_, image_, raw.span(), 0, recorder, next,
                    [&](StageRecorder& stages) { enqueue_frame(image_, raw.span(), stages); });
    }

    // Returns the plan of the last frame; null before the first one.
    [[nodiscard]] const Plan* plan() const { return plan_ ? &*plan_ : nullptr; }

protected:
    // Work is enqueued on the stream, which must outlive the detector. Throws Error(usage) as check_params does.
    PlannedDetector(StreamView stream, const DeviceInfo& device, const DetectorParams& params)
        : stream_(stream), device_(device), params_(params), intake_(stream, false) {
        check_params(params);
    }

    // Call first in each destructor: kernels may still use the detector's memory.
    void wait() const noexcept { finish_frames(stream_); }

    // Sets plan_, last: the next frame prepares again if it throws. Its memory comes from memory_.
    virtual void make_plan(ImageSize frame) = 0;
    // Enqueues the work of a frame whose plan is not empty.
    virtual void enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) = 0;

    // Drops the plan, with the graphs, which write its memory. Call whenever the launches change.
    void drop_plan() {
        const KeptMemory::Use use(memory_);
        graphs_.clear();
        plan_.reset();
    }
    // The same after a change of settings, which need other sizes for good.
    void drop_plan_and_memory() {
        drop_plan();
        memory_.free_unused();
    }

    StreamView stream_;
    DeviceInfo device_;
    DetectorParams params_;
    bool chroma_ = false;  // enqueue_frame gets the frame's chroma
    bool graph_ = true;    // a frame's launches as one CUDA graph, except where stages are measured
    DeviceImage image_;    // of the last frame

private:
    FrameIntake intake_;
    KeptMemory memory_;  // of the plan

protected:
    std::optional<Plan> plan_;

private:
    FrameGraphs graphs_;
};

}  // namespace throng::gpu
