// The interface of this backend's detectors.
#pragma once

#include "core/detect/detector.h"
#include "gpu/frame/frame_graphs.h"

namespace throng::gpu {

class CudaDetector : public Detector {
public:
    // Enqueues the work on the frame, and then `next`, which may be replayed together with it.
    virtual void enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                              const FollowingWork& next) = 0;

    // raw must be in device memory. The first frame of a size builds the plan for that size and waits for it.
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) final {
        enqueue_with(frame, raw, recorder, {});
    }
};

// Makes the device current for this thread. Throws Error(internal) if the buffer is in host memory.
void begin_frame(int device, const DetectionBuffer& raw);
// Enqueues the clearing of the counts, for a frame without windows.
void clear_detections(const DetectionSpan& raw, StreamView stream);
// Waits. First in the destructor of a detector, whose memory kernels may still use.
void finish_frames(StreamView stream) noexcept;

}  // namespace throng::gpu
