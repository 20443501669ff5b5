// Shared memory of kernels whose launches need different amounts of it.
#pragma once

#include <cstddef>

namespace throng::gpu {

// Allows launches of a kernel with up to `bytes` of dynamic shared memory on the current device. The limit belongs to the
// kernel and the device, not to a launch: one thread that set what it needs just before its launch would take away what
// another one is about to use. So the limit only rises. name: of the kernel. Throws as check_cuda does.
void allow_shared_memory(const void* kernel, std::size_t bytes, const char* name);

}  // namespace throng::gpu
