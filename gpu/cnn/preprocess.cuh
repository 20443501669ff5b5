// Holds what all kernels that read frames share.
#pragma once

#include "gpu/cnn/preprocess.h"

namespace throng::gpu {

// Returns the channels of a pixel of the input.
__device__ inline float4 input_values(const PreprocessTask& task, const CnnPixel& pixel) {
    const float one = task.rgb ? pixel.red : pixel.blue;
    const float three = task.rgb ? pixel.blue : pixel.red;
    return {cnn_normalize(one, task.mean[0], task.scale), cnn_normalize(pixel.green, task.mean[1], task.scale),
            cnn_normalize(three, task.mean[2], task.scale), 0.0F};
}

// Sets the count of the image's frame to zero, if this is the frame's first pass. By one thread.
__device__ inline void clear_count(const PreprocessTask& task, int image) {
    DetectionCount* const count = task.clear[image / task.passes];
    if (image % task.passes == 0 && count != nullptr) *count = {};
}

}  // namespace throng::gpu
