// Copies the results of a frame from the CUDA backend to the host without blocking the stream.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/detect/frame_readback.h"
#include "gpu/frame/image_memory.h"
#include "gpu/nms/expected_count.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Detections are copied on the caller's stream, after the frame's kernels. Frames are copied on a stream owned by this
// class, to the host or within the device, so that no kernel waits for them. finish() blocks without spinning.
class CudaReadback final : public FrameReadback {
public:
    // stream must outlive this object.
    CudaReadback(int device, StreamView stream);
    ~CudaReadback() override;

    void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
               Requested requested) override;
    // The parts of start, between which the launches may be replayed from a graph instead. prepare_detections returns
    // the addresses of the kept and the raw copies.
    std::array<std::uint64_t, 2> prepare_detections(const DetectionBuffer& raw, const DetectionBuffer& kept,
                                                    Requested requested);
    void start_detections() const;
    void start_frame(const Frame& frame, Requested requested);
    // Sets what receives the number of raw detections in finish: that of the suppression of this frame.
    void report_count(std::shared_ptr<ExpectedCount> count) { count_ = std::move(count); }
    void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) override;

private:
    void start_image(const Frame& frame, bool to_host);

    int device_;
    StreamView stream_;
    std::shared_ptr<ExpectedCount> count_;  // may be null
    Stream copies_;
    Event detections_{Event::Timing::off, Event::Waiting::block};
    Event decoded_{Event::Timing::off};
    Event image_done_{Event::Timing::off, Event::Waiting::block};
    DetectionTransfer raw_;
    DetectionTransfer kept_;
    ImageMemory memory_;
    Frame source_;  // the device frame, kept alive during the copy
    Frame image_;   // its copy
};

}  // namespace throng::gpu
