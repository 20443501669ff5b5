// What a frame brings to the host: its detections, and its image where somebody looks at it. Started behind a frame's
// work and finished later, so that the next frame can be enqueued meanwhile.
#pragma once

#include "core/detect/detection.h"
#include "core/detect/detection_buffer.h"
#include "core/frame/frame.h"

namespace throng {

// Of one frame at a time; used again for the next one. Not thread-safe.
class FrameReadback {
public:
    struct Requested {
        bool raw_boxes = false;  // else of the raw detections the count alone
        bool image = false;      // a frame of device memory as a copy in host memory
    };

    FrameReadback() = default;
    FrameReadback(const FrameReadback&) = delete;
    FrameReadback& operator=(const FrameReadback&) = delete;
    virtual ~FrameReadback() = default;

    // Behind what is enqueued already. The buffers must stay as they are until finish.
    virtual void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                       Requested requested) = 0;
    // Waits for what was started. frame becomes the copy in host memory where one was requested and needed; else it is
    // left alone. Throws Error as Backend::download does.
    virtual void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) = 0;
};

}  // namespace throng
