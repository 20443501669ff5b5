// Launching kernels, and chains of them with programmatic dependent launch (PDL): the blocks of a kernel may start
// while those of the previous kernel still run, and wait on the device for its results. This hides most of the launch
// latency on compute capability 9.0 and later. On other devices these are plain launches.
//
// Memory ordering, in the terms of the PTX ISA: griddepcontrol.wait blocks until all prerequisite grids have completed
// and all their memory operations are performed and made visible. Every kernel of a chain executes it before its first
// access to memory that an earlier kernel writes or still reads. A grid completes only after it has waited itself, so
// this orders a kernel after all earlier ones of the stream. griddepcontrol.launch_dependents orders nothing; it may
// come first.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/check.h"
#include "gpu/runtime/partial_device.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/shared_memory.h"

namespace throng::gpu {

// Allows the next kernel of the chain to start.
__device__ __forceinline__ void trigger_launch_completion() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// By every thread of every kernel of a chain: afterwards all earlier kernels are complete.
__device__ __forceinline__ void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// First statement of a kernel that has nothing to do before the previous one is complete.
__device__ __forceinline__ void start_kernel() {
    trigger_launch_completion();
    wait_for_previous();
}

// Grid and block size, and dynamic shared memory in bytes.
struct LaunchSize {
    dim3 blocks;
    dim3 threads;
    std::size_t shared = 0;
};

// Returns the number of blocks with a thread for each item; at least one.
inline unsigned blocks_for(std::int64_t items, unsigned threads) {
    return static_cast<unsigned>(items > 0 ? (items + threads - 1) / threads : 1);
}

// Returns the size of a launch with a thread for each item.
inline LaunchSize launch_size(std::int64_t items, unsigned threads) {
    return {blocks_for(items, threads), threads};
}

// Returns the number of blocks of a kernel that a multiprocessor of the current device runs at the same time. shared:
// bytes of dynamic shared memory. name: of the kernel.
template <class... Parameters>
int blocks_per_multiprocessor(const char* name, void (*kernel)(Parameters...), unsigned threads,
                              std::size_t shared = 0) {
    if (shared > 0) allow_shared_memory(reinterpret_cast<const void*>(kernel), shared, name);
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared), name);
    return blocks;
}

// Returns the number of multiprocessors of the current device.
inline int multiprocessors_of_device() {
    int device = 0;
    int count = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return count;
}

class LaunchChain {
public:
    LaunchChain(const DeviceInfo& device, StreamView stream) : LaunchChain(stream, device.has_dependent_launch()) {}
    // dependent: uses PDL. Must be off where the device and the loaded code do not support it, and for the first kernel
    // of a chain if an earlier one of the stream does not wait.
    LaunchChain(StreamView stream, bool dependent) : stream_(stream), dependent_(dependent) {}

    template <class... Parameters, class... Arguments>
    void launch(const char* name, void (*kernel)(Parameters...), const LaunchSize& size,
                const Arguments&... arguments) const {
        check_cuda(enqueue(name, kernel, size, false, arguments...), name);
        check_launch(name, stream_);
    }

    // All blocks are resident at the same time, so that they can wait for each other. Returns false, and launches
    // nothing, where they cannot be: other work may have its own part of the device (green contexts, MPS).
    template <class... Parameters, class... Arguments>
    [[nodiscard]] bool launch_resident(const char* name, void (*kernel)(Parameters...), const LaunchSize& size,
                                       const Arguments&... arguments) const {
        // A launch is not checked while it is captured, and the graph would never end.
        std::optional<int> multiprocessors = multiprocessors_of_partition(stream_);
        if (!multiprocessors && is_captured(stream_)) multiprocessors = multiprocessors_of_device();
        if (multiprocessors) {
            const int each = blocks_per_multiprocessor(name, kernel, size.threads.x, size.shared);
            if (static_cast<unsigned>(each * *multiprocessors) < size.blocks.x) return false;
        }
        const cudaError_t status = enqueue(name, kernel, size, true, arguments...);
        if (status == cudaErrorCooperativeLaunchTooLarge) {
            (void)cudaGetLastError();
            return false;
        }
        check_cuda(status, name);
        check_launch(name, stream_);
        return true;
    }

private:
    template <class... Parameters, class... Arguments>
    [[nodiscard]] cudaError_t enqueue(const char* name, void (*kernel)(Parameters...), const LaunchSize& size,
                                      bool resident, const Arguments&... arguments) const {
        // 48 KB need no permission, but of these a kernel may have a part of its own.
        if (size.shared > 0) allow_shared_memory(reinterpret_cast<const void*>(kernel), size.shared, name);
        cudaLaunchAttribute attributes[2] = {};
        cudaLaunchConfig_t config{};
        config.gridDim = size.blocks;
        config.blockDim = size.threads;
        config.dynamicSmemBytes = size.shared;
        config.stream = stream_;
        config.attrs = attributes;
        if (dependent_) {
            cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
            attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attribute.val.programmaticStreamSerializationAllowed = 1;
        }
        if (resident) {
            cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
            attribute.id = cudaLaunchAttributeCooperative;
            attribute.val.cooperative = 1;
        }
        return cudaLaunchKernelEx(&config, kernel, arguments...);
    }

    StreamView stream_;
    bool dependent_;
};

}  // namespace throng::gpu
