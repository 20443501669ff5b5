// An empty kernel: if the runtime finds it, this build has code for the current device.
#pragma once

#include "gpu/runtime/check.h"

namespace throng::gpu {

// Returns the runtime's status (cudaError_t); does not throw. code: the virtual architecture from which the loaded
// kernel was compiled, 90 for compute_90. All kernels of a build are compiled for the same list.
[[nodiscard]] int find_probe_kernel(int& code) noexcept;

// Returns the oldest virtual architecture of the build's code, 75 for compute_75. Devices below it can run nothing of it.
[[nodiscard]] int oldest_probe_code() noexcept;

// Launches the empty kernel, whose time is the lower bound of every launch measurement.
void launch_empty(StreamView stream);
// The same by blocks that could wait for each other (LaunchChain::launch_resident). Returns false where there are too many.
[[nodiscard]] bool launch_empty_resident(unsigned blocks, StreamView stream);

}  // namespace throng::gpu
