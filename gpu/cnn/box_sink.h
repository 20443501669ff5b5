// Where the boxes of a batch go: a buffer a frame, and what of the network's input lies where in it.
#pragma once

#include "core/algo/cnn_boxes.h"
#include "core/detect/detection_buffer.h"
#include "gpu/cnn/map.h"

namespace throng::gpu {

struct PassPosition {
    CnnPlacement place;
    CnnCore core;
};

struct BoxSink {
    DetectionSpan raw[kMaxBatch];            // of each frame; the counts are zero before the first writer
    const PassPosition* d_passes = nullptr;  // image of a map = frame * passes + pass
    int passes = 1;
    float threshold = 0;               // scores below are not reported
    float min_side = 0, max_side = 0;  // of the longer side in pixels of the frame
};

}  // namespace throng::gpu
