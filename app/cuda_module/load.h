// Loads the CUDA module, throng-cuda.so, with the first call. Every function may be called from any thread.
#pragma once

#include <string>

#include "app/cuda_module/cuda_module.h"

namespace throng {

// Returns the module, null if it is not installed or does not fit this program. It remains loaded until the process ends.
// The environment variable THRONG_CUDA_MODULE names a file; otherwise it is searched next to the program or library and
// in the folder of libraries where it is installed.
[[nodiscard]] const CudaModule* cuda_module();

// Returns why cuda_module() is null, otherwise an empty string.
[[nodiscard]] const std::string& why_no_cuda_module();

// Returns the module. Throws Error(unavailable) that names `where`, an option or a command.
[[nodiscard]] const CudaModule& require_cuda_module(const Message& where);

// Lists the CUDA devices of this machine without using one (gpu::probe_cuda), without the module an unusable probe with the
// reason. Never throws.
[[nodiscard]] gpu::CudaProbe probe_cuda_module();

}  // namespace throng
