// A kernel that does nothing: whether the runtime finds it tells if this build has code for the current device.
#pragma once

#include "gpu/runtime/check.h"

namespace throng::gpu {

// The runtime's status (cudaError_t), not thrown. code: the virtual architecture that the loaded kernel was compiled
// from, 90 for compute_90; all kernels of a build are compiled for the same list.
[[nodiscard]] int find_probe_kernel(int& code) noexcept;

// Launches it: the floor under every measurement of launches.
void launch_empty(StreamView stream);

}  // namespace throng::gpu
