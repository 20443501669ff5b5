// Launches the kernels of a chain (chain.h).
#pragma once

#include <cuda_runtime.h>

#include "gpu/cnn/chain.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Must be called by every thread of every kernel of a chain before it accesses maps. Afterwards all earlier kernels are
// complete, including those that the previous kernel waited for.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Allows the next kernel of the chain to start.
__device__ inline void release_next() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

struct LaunchShape {
    dim3 grid;
    dim3 block;
    int shared = 0;  // bytes
};

// Throws as check_launch does.
template <typename Task>
void launch_chained(void (*kernel)(Task), const char* name, const LaunchShape& shape, const Chain& chain,
                    const Task& task) {
    if (shape.shared > 48 * 1024) {
        check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared),
                   name);
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared);
    config.stream = chain.stream;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &overlap;
    config.numAttrs = chain.overlap ? 1 : 0;
    check_cuda(cudaLaunchKernelEx(&config, kernel, task), name);
    check_launch(name, chain.stream);
}

}  // namespace throng::gpu
