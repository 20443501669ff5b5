// MobileNet's unit in one launch, of which UltraFace is made: a depthwise convolution of 3 x 3, then a pointwise one,
// each with its activation.
#pragma once

#include "gpu/cnn/chain.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

struct DepthPointTask {
    Map in;
    DepthWeights depth;
    bool depth_relu = false;
    int stride = 1;  // of the depthwise convolution
    PointWeights point;
    bool point_relu = false;
    Map out;
};

// One launch; channels padded to multiples of 16, any number of them.
void launch_depth_point(const DepthPointTask& task, int images, Precision precision, int multiprocessors,
                        const Chain& chain);

}  // namespace throng::gpu
