// The CUDA backend: all data of a frame stays in device memory, and all work is enqueued on one stream.
#pragma once

#include <memory>

#include "core/detect/backend.h"
#include "gpu/runtime/probe.h"

namespace throng {

// Throws Error(unavailable) with the reason when the device cannot be used: no driver, driver too old, no such device,
// or no code for it in this build.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend(int device = 0);

using gpu::CudaProbe;
using gpu::probe_cuda;

}  // namespace throng
