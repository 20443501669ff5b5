// Chains of kernels with programmatic dependent launch (PDL): the blocks of a kernel may start while those of the
// previous kernel still run, and wait on the device for its results. This hides most of the launch latency on compute
// capability 9.0 and later. On other devices these are plain launches.
//
// Memory ordering, in the terms of the PTX ISA: griddepcontrol.wait blocks until all prerequisite grids have completed
// and all their memory operations are performed and made visible. Every kernel of a chain executes it before its first
// access to memory that an earlier kernel writes or still reads. A grid completes only after it has waited itself, so
// this orders a kernel after all earlier ones of the stream. griddepcontrol.launch_dependents orders nothing; it may
// come first.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// First statement of every kernel of a chain: lets the next kernel launch, then waits for the previous ones.
__device__ __forceinline__ void start_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

// Grid and block size, and dynamic shared memory in bytes.
struct LaunchSize {
    dim3 blocks;
    unsigned threads;
    std::size_t shared = 0;
    bool cooperative = false;  // all blocks are resident at the same time, so that they can wait for each other
};

class LaunchChain {
public:
    LaunchChain(const DeviceInfo& device, StreamView stream)
        : stream_(stream), dependent_(device.has_dependent_launch()) {}

    template <class... Parameters, class... Arguments>
    void launch(const char* name, void (*kernel)(Parameters...), const LaunchSize& size,
                const Arguments&... arguments) const {
        cudaLaunchAttribute attributes[2] = {};
        cudaLaunchConfig_t config{};
        config.gridDim = size.blocks;
        config.blockDim = dim3(size.threads);
        config.dynamicSmemBytes = size.shared;
        config.stream = stream_;
        config.attrs = attributes;
        if (dependent_) {
            cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
            attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attribute.val.programmaticStreamSerializationAllowed = 1;
        }
        if (size.cooperative) {
            cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
            attribute.id = cudaLaunchAttributeCooperative;
            attribute.val.cooperative = 1;
        }
        check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), name);
        check_launch(name, stream_);
    }

private:
    StreamView stream_;
    bool dependent_;  // the device and the loaded code support PDL
};

}  // namespace throng::gpu
