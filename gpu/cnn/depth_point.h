// The unit of MobileNet, UltraFace and YOLOX in one launch: a depthwise 3 x 3 convolution, then a pointwise convolution,
// each with its activation.
#pragma once

#include "core/model/network.h"
#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

struct DepthPointTask {
    Map in;
    DepthWeights depth;
    Activation depth_activation = Activation::none;
    int stride = 1;  // of the depthwise convolution
    PointWeights point;
    Activation point_activation = Activation::none;
    Map out;
};

// One launch; channels are padded to multiples of 16, without an upper limit.
void launch_depth_point(const DepthPointTask& task, int images, Precision precision, int multiprocessors,
                        const LaunchChain& chain);

}  // namespace throng::gpu
