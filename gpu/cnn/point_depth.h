// YuNet's unit in one launch: a pointwise convolution, then a depthwise 3 x 3 convolution (W. Wu, H. Peng, S. Yu, 2023,
// figure 2). Optionally adds an upsampled map before, and applies activation (relu or none) and 2 x 2 maxima after.
#pragma once

#include "gpu/cnn/step.h"

namespace throng::gpu {

inline constexpr int kMaxUnits = 3;  // per launch: independent ones with equal channels

// Returns true if a kernel exists: for 16, 32 and 64 input channels, and multiples of 16 output channels.
[[nodiscard]] bool point_depth_fits(int channels_in, int channels_out);

// images: number in the batch. Chooses the largest tile that fits the device's shared memory and still yields enough
// blocks for its multiprocessors.
void launch_point_depth(const StepTask* tasks, int count, int images, Precision precision, const DeviceInfo& device,
                        const LaunchChain& chain);

}  // namespace throng::gpu
