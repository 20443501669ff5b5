// Single layers, one per launch: for layers without a fused kernel, and as baseline for fusion. A thread computes four
// channels of a pixel.
#pragma once

#include "gpu/cnn/step.h"

namespace throng::gpu {

// convolution; pool; or sum: out = in + more, or in alone.
void launch_plain(const StepTask& task, int images, Precision precision, const LaunchChain& chain);

}  // namespace throng::gpu
