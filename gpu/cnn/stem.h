// The first convolution, 3 channels to 16 with stride 2, by 3 x 3 or (YOLOX) 6 x 6, alone or with the unit that follows
// it in YuNet: a pointwise and a depthwise convolution of 16 channels. Tensor-core operands are loaded directly from the input, and
// the results are passed to the pointwise convolution in registers.
#pragma once

#include "core/model/network.h"
#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

inline constexpr int kStemChannels = 16;

// Returns the channels in of the matrix of weights: those of all taps, padded.
constexpr int stem_depth(int kernel) {
    return padded_channels(kernel * kernel * kInputChannels);
}

struct StemWeights {
    PointWeights conv;                              // channel in: tap * kInputChannels + channel of the input
    int kernel = 3;                                 // or 6
    Activation conv_activation = Activation::none;  // relu or none with the unit
    // Only with the unit.
    PointWeights point;
    DepthWeights depth;
    bool relu = false;
};

struct StemTask {
    Map in;      // kInputChannels
    Map out;     // half as wide and high
    Map pooled;  // with the unit: maxima of 2 x 2 of out; one of the two may be null
    StemWeights weights;
};

void launch_stem(const StemTask& task, int images, Precision precision, const LaunchChain& chain);
void launch_stem_unit(const StemTask& task, int images, Precision precision, const LaunchChain& chain);

}  // namespace throng::gpu
