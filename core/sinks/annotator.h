// Draws what was found into a copy of a frame, and hides faces if that is requested.
#pragma once

#include "core/frame/frame_pool.h"
#include "core/pipeline/frame_result.h"
#include "core/sinks/annotated_sinks.h"
#include "core/video/annotate.h"
#include "core/video/convert.h"

namespace throng {

// Not thread-safe.
class Annotator {
public:
    explicit Annotator(const AnnotatedOptions& options);

    // Returns the frame as bgr24 in host memory.
    [[nodiscard]] Frame draw(const FrameResult& result);

private:
    AnnotateStyle style_;
    bool tracks_;
    bool blur_;
    PixelConverter converter_;
    FramePool pool_;
};

}  // namespace throng
