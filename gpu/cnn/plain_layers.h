// Single layers, one per launch: for layers without a fused kernel, and as baseline for fusion. A thread computes four
// channels of a pixel.
#pragma once

#include "core/model/network.h"
#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

struct PlainConvolution {
    Map in, out;
    PlainWeights weights;
    int kernel = 1, stride = 1, padding = 0, dilation = 1;
    bool depthwise = false;  // channel c of out depends only on channel c of in
    Activation activation = Activation::none;
};

struct PlainPool {
    Map in, out;
    int kernel = 2, stride = 2, padding = 0;
    Activation activation = Activation::none;
};

// out = a + b, or a alone. Every pixel of a and b is repeated factor x factor times. Writes `channels` channels of out,
// starting at first_channel; neither must be a multiple of anything.
struct PlainSum {
    Map a, b;  // b null: nothing to add
    Map out;
    int factor_a = 1, factor_b = 1;
    int channels = 0, first_channel = 0;
    Activation activation = Activation::none;
};

void launch_plain(const PlainConvolution& task, int images, Precision precision, const LaunchChain& chain);
void launch_plain(const PlainPool& task, int images, Precision precision, const LaunchChain& chain);
void launch_plain(const PlainSum& task, int images, Precision precision, const LaunchChain& chain);

}  // namespace throng::gpu
