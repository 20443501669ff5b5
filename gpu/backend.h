// The CUDA backend: everything of a frame stays in device memory, on one stream.
#pragma once

#include <memory>

#include "core/detect/backend.h"
#include "gpu/runtime/probe.h"

namespace throng {

// Throws Error(unavailable) with the plain reason when the device cannot be used: no driver, a driver too old, no such
// device, no code for it in this build.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend(int device = 0);

using gpu::CudaProbe;
using gpu::probe_cuda;

}  // namespace throng
