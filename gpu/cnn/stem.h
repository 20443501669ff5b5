// The first convolution, 3 channels to 16 by 3 x 3 with stride 2, alone or with the unit that follows it in YuNet: a
// pointwise and a depthwise convolution of 16 channels. Tensor-core operands are loaded directly from the input, and
// the results are passed to the pointwise convolution in registers.
#pragma once

#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

inline constexpr int kStemChannels = 16;
inline constexpr int kStemDepth = 48;  // 9 taps of kInputChannels, padded

struct StemWeights {
    PointWeights conv;  // channel in: tap * kInputChannels + channel of the input
    bool conv_relu = false;
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
