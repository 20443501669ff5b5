// The first convolution, 3 channels to 16 with stride 2, by 3 x 3 or (YOLOX) 6 x 6, alone or with the unit that follows
// it in YuNet: a pointwise and a depthwise convolution of 16 channels. Its results are passed to the pointwise convolution
// in registers. Frames at native resolution need no preprocessing: a block makes its part of the input itself.
#pragma once

#include "core/model/network.h"
#include "gpu/cnn/launch.h"
#include "gpu/cnn/preprocess.h"
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
    // Of the unit; null without it.
    PointWeights point;
    DepthWeights depth;
    bool relu = false;
};

struct StemTask {
    Map in;      // kInputChannels; no data: frames are read
    Map out;     // half as wide and high
    Map pooled;  // with the unit: maxima of 2 x 2 of out; one of the two may be null
    StemWeights weights;
};

// Returns the shared memory of a block with the unit; not every device has so much.
[[nodiscard]] std::size_t stem_unit_bytes(Precision precision);

// frames: what the input is made of if task.in has no data; otherwise unused. Its passes are native.
void launch_stem(const StemTask& task, const PreprocessTask& frames, int images, Precision precision,
                 const LaunchChain& chain);

}  // namespace throng::gpu
