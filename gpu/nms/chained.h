// Chains of kernels with programmatic dependent launch (PDL): the blocks of a kernel may start while those of the
// previous kernel still run, and wait on the device for its results. This hides most of the launch latency on compute
// capability 9.0 and later. On other devices these are plain launches.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// Must be called by every thread before it accesses data that an earlier kernel writes or still reads.
__device__ __forceinline__ void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// The same, after all inputs of `known` are computed: ptxas moves arithmetic without a data dependency on the wait to
// after the wait. known is never kUnknown, because values computed from numbers below 2^31 are not.
constexpr std::uint32_t kUnknown = 0xFFFFFFFEU;
__device__ __forceinline__ void wait_for_previous(std::uint32_t known) {
    if (known != kUnknown) wait_for_previous();
}

// Triggers programmatic launch completion: from here on blocks of the next kernel may start where resources allow.
// Called before wait_for_previous(), it also hides the next launch during a short kernel. That is correct if the next
// kernel, before it waits itself, does not access data that a running kernel may write: it waits for this kernel, and
// this kernel waits for the earlier ones.
__device__ __forceinline__ void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Forces a value to be computed here, before the previous kernel has completed, and not at its first use.
__device__ __forceinline__ void compute_now(std::uint32_t& value) {
    asm volatile("" : "+r"(value));
}
__device__ __forceinline__ void compute_now(float& value) {
    asm volatile("" : "+f"(value));
}
template <class T>
__device__ __forceinline__ void compute_now(const T*& address) {
    asm volatile("" : "+l"(address));
}

// Issues a load here that bypasses the multiprocessor's L1 cache, not at the first use of its result. Several such
// loads in a row have one common latency.
__device__ __forceinline__ std::uint32_t load_now(bool there, const std::uint32_t* at, std::uint32_t otherwise) {
    std::uint32_t value = otherwise;
    asm volatile("{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %2, 0;\n\t@there ld.global.cg.u32 %0, [%1];\n\t}"
                 : "+r"(value)
                 : "l"(at), "r"(there ? 1U : 0U)
                 : "memory");
    return value;
}

// Loads four words, aligned to 16 bytes; 0 if there is none. Relaxed, because otherwise the compiler moves the load
// behind a branch that does not need it.
__device__ __forceinline__ uint4 load_now(bool there, const uint4* at) {
    uint4 value{};
    asm volatile(
        "{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %5, 0;\n\t"
        "@there ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];\n\t}"
        : "+r"(value.x), "+r"(value.y), "+r"(value.z), "+r"(value.w)
        : "l"(at), "r"(there ? 1U : 0U)
        : "memory");
    return value;
}

// For __launch_bounds__: returns how many blocks of that many threads a multiprocessor should run at once, limited to
// what every supported device can hold.
constexpr unsigned blocks_at_once(unsigned threads, unsigned requested) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    constexpr unsigned kMaxThreads = 1024;
#else
    constexpr unsigned kMaxThreads = 1536;  // some devices hold more
#endif
    return requested < kMaxThreads / threads ? requested : kMaxThreads / threads;
}

// Grid and block size, and dynamic shared memory in bytes.
struct LaunchSize {
    dim3 blocks;
    unsigned threads;
    std::size_t shared = 0;
};

template <class... Parameters, class... Arguments>
void launch_kernel(const char* name, void (*kernel)(Parameters...), const LaunchSize& size,
                   cudaLaunchAttribute* attributes, unsigned count, StreamView stream, const Arguments&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = size.blocks;
    config.blockDim = dim3(size.threads);
    config.dynamicSmemBytes = size.shared;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = count;
    check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), name);
    check_launch(name, stream);
}

struct LaunchWay {
    bool early = true;      // programmatic dependent launch, if the device supports it
    bool together = false;  // cooperative launch: all blocks are resident, so that they can wait for each other after
                            // waiting for the previous kernels
};

struct LaunchChain {
    StreamView stream;
    bool early;  // the device supports programmatic dependent launch

    LaunchChain(const DeviceInfo& device, StreamView s) : stream(s), early(device.has_dependent_launch()) {}

    template <class... Parameters, class... Arguments>
    void launch(const char* name, void (*kernel)(Parameters...), const LaunchSize& size, LaunchWay way,
                const Arguments&... arguments) const {
        cudaLaunchAttribute attributes[2] = {};
        unsigned count = 0;
        if (way.early && early) attributes[count++] = early_start();
        if (way.together) attributes[count++] = together();
        launch_kernel(name, kernel, size, attributes, count, stream, arguments...);
    }
    template <class... Parameters, class... Arguments>
    void launch(const char* name, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                const Arguments&... arguments) const {
        launch(name, kernel, LaunchSize{dim3(blocks), threads}, LaunchWay{}, arguments...);
    }

    static cudaLaunchAttribute together() {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
        return attribute;
    }
    static cudaLaunchAttribute early_start() {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        return attribute;
    }
};

}  // namespace throng::gpu
