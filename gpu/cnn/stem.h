// The first convolution, 3 channels to 16 with stride 2, by 3 x 3 or (YOLOX) 6 x 6, alone or with the unit that follows
// it in YuNet: a pointwise and a depthwise convolution of 16 channels. Its results are passed to the pointwise convolution
// in registers. Frames at native resolution need no preprocessing: a block makes its part of the input itself.
#pragma once

#include "gpu/cnn/preprocess.h"
#include "gpu/cnn/step.h"

namespace throng::gpu {

inline constexpr int kStemChannels = 16;

// Returns the channels in of the matrix of weights: those of all taps, padded.
constexpr int stem_depth(int kernel) {
    return padded_channels(kernel * kernel * kInputChannels);
}

// Returns the shared memory of a block with the unit; not every device has so much.
[[nodiscard]] std::size_t stem_unit_bytes(Precision precision);

// `task.stem` is the first convolution, `task.kernel` its size; with the unit, all activations are relu or none. frames: what
// the input is made of if task.in has no data; otherwise unused. Its passes are native.
void launch_stem(const StepTask& task, const PreprocessTask& frames, int images, Precision precision,
                 const LaunchChain& chain);

}  // namespace throng::gpu
