// Asynchronous copy of a frame's results to the host: its detections and, if requested, its image. Enqueued after the
// frame's work and finished later, so that the next frame can be enqueued in between.
#pragma once

#include "core/detect/detection.h"
#include "core/detect/detection_buffer.h"
#include "core/frame/frame.h"

namespace throng {

// Handles one frame at a time and is reused for the next one. Not thread-safe.
class FrameReadback {
public:
    struct Requested {
        bool raw_boxes = false;  // otherwise only the count of the raw detections
        bool image = false;      // copy a device frame to host memory
        // Without image: the frame is kept for long, so copy a device frame within the device and give the original
        // back to its decoder, which has few. Backends whose frames come from elsewhere ignore it.
        bool keeps_frame = false;
    };

    FrameReadback() = default;
    FrameReadback(const FrameReadback&) = delete;
    FrameReadback& operator=(const FrameReadback&) = delete;
    virtual ~FrameReadback() = default;

    // Enqueues the copies after the work enqueued so far. The buffers must not change until finish.
    virtual void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                       Requested requested) = 0;
    // Waits for the copies. Replaces frame by its copy if one was requested and needed; otherwise frame is unchanged.
    // Throws Error as Backend::download does.
    virtual void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) = 0;
};

}  // namespace throng
