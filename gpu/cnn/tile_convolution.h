// Convolutions on tensor cores: a dense one whose smallest tile fits (tile_convolution_fits), or the unit of MobileNet,
// UltraFace and YOLOX: a depthwise 3 x 3 convolution, then a pointwise one. Optionally adds an upsampled map before, and
// another map after. Independent ones share a launch.
#pragma once

#include "gpu/cnn/step.h"

namespace throng::gpu {

inline constexpr int kMaxConvolutions = 9;  // per launch: three maps for each of three strides

// Returns the largest number of channels out per block: 64, 32 or 16.
constexpr int channels_per_block(int channels_out) {
    return channels_out % 64 == 0 ? 64 : channels_out % 32 == 0 ? 32 : 16;
}

// Returns true if the smallest tile fits the shared memory that every device has.
[[nodiscard]] bool tile_convolution_fits(int kernel, int stride, int dilation);

// `kernel` to `dilation` of a task are those of the dense or of the depthwise convolution; `point` of a dense one has a matrix
// per tap. Channels are multiples of 16, without an upper limit. Chooses the tiles by the estimated time.
void launch_tile_convolutions(const StepTask* tasks, int count, int images, Precision precision,
                              const DeviceInfo& device, const LaunchChain& chain);

}  // namespace throng::gpu
