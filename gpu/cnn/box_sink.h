// Output of the boxes of a batch: one buffer per frame, and the position of the network's input in the frame.
#pragma once

#include "core/algo/cnn_boxes.h"
#include "core/detect/detection_buffer.h"
#include "gpu/cnn/map.h"

namespace throng::gpu {

struct PassPosition {
    CnnPlacement placement;
    CnnCore core;
};

struct BoxSink {
    DetectionSpan raw[kMaxBatch];            // per frame; the counts are zero before the first write
    const PassPosition* d_passes = nullptr;  // image of a map = frame * passes + pass
    int passes = 1;
    float threshold = 0;               // lower scores are not reported
    float min_side = 0, max_side = 0;  // limits of the longer side, in pixels of the frame
};

}  // namespace throng::gpu
