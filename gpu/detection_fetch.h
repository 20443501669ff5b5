// What a frame of the CUDA backend brings to the host, without stopping the stream.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/detect/frame_readback.h"
#include "core/frame/frame_pool.h"
#include "gpu/detection_memory.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Detections are copied on the stream behind the frame's kernels; frames on a stream of this one's own, so that they
// hold up no kernel. finish lets its thread sleep.
class CudaFetch final : public FrameReadback {
public:
    // The stream must outlive it.
    CudaFetch(int device, StreamView stream);
    ~CudaFetch() override;

    void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
               Requested requested) override;
    void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) override;

private:
    struct PinnedImage;

    [[nodiscard]] std::shared_ptr<PinnedImage> take_memory(std::size_t bytes);
    void start_image(const Frame& frame);

    int device_;
    StreamView stream_;
    Stream copies_;
    Event detections_{Event::Timing::off, Event::Waiting::block};
    Event decoded_{Event::Timing::off};
    Event image_done_{Event::Timing::off, Event::Waiting::block};
    DetectionTransfer raw_;
    DetectionTransfer kept_;
    Frame source_;                                      // kept alive while its frame is copied
    Frame image_;                                       // the copy
    std::vector<std::shared_ptr<PinnedImage>> images_;  // used again once nobody looks at them
};

}  // namespace throng::gpu
