// The first convolution, 3 channels to 16 by 3 x 3 with stride 2, on its own or with the unit that follows it in YuNet:
// a pointwise and a depthwise convolution of 16 channels. Its weights are parameters of the launch, so that they are
// operands of the multiply-adds from the constant bank and no load is spent on them.
#pragma once

#include "gpu/cnn/chain.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

inline constexpr int kStemChannels = 16;

struct StemWeights {
    float conv[9][3][kStemChannels] = {};  // [row, column][channel of the input][channel]
    float conv_bias[kStemChannels] = {};
    bool conv_relu = false;
    // With the unit.
    float point[kStemChannels][kStemChannels] = {};  // [in][out]
    float point_bias[kStemChannels] = {};
    DepthWeights depth;
    bool relu = false;
};

struct StemTask {
    Map in;      // four channels, the last of them unused
    Map out;     // half as wide and high
    Map pooled;  // with the unit: maxima of 2 x 2 of out; one of the two may be null
    StemWeights weights;
};

void launch_stem(const StemTask& task, int images, Precision precision, const Chain& chain);
void launch_stem_unit(const StemTask& task, int images, Precision precision, const Chain& chain);

}  // namespace throng::gpu
