// The CUDA backend: all data of a frame stays in device memory, and all work is enqueued on one stream.
#pragma once

#include <memory>
#include <string>

#include "core/detect/backend.h"
#include "gpu/runtime/probe.h"

namespace throng {

// Throws Error(unavailable) with the reason when the device cannot be used: no driver, driver too old, no such device,
// or no code for it in this build.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend(int device = 0);

// Returns why make_cuda_backend would fail, after a test on the device itself; empty if it would not. As make_cuda_backend,
// creates the context of this device and of no other, and makes it current on this thread.
[[nodiscard]] std::string cuda_problem(int device);

using gpu::CudaProbe;
using gpu::probe_cuda;

}  // namespace throng
