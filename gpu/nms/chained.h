// Kernels that follow each other: the blocks of one may start while those of the one before still run (programmatic
// dependent launch), and wait on the device for its results. Hides most of the time between two launches on compute
// capability 9.0 and later; elsewhere these are plain launches.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// To be called by every thread before it touches what an earlier kernel wrote or still reads, whatever it does next.
__device__ __forceinline__ void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// The same, with all that `known` is made of computed before: arithmetic that nothing hangs on in front of the wait the
// assembler moves behind it. known is never kUnknown; nothing that is made of numbers below 2^31 is.
constexpr std::uint32_t kUnknown = 0xFFFFFFFEU;
__device__ __forceinline__ void wait_for_previous(std::uint32_t known) {
    if (known != kUnknown) wait_for_previous();
}

// From here on blocks of the next kernel may start where there is room. Before wait_for_previous() that hides the next
// launch behind a short kernel, too, which is right where the next kernel does not touch, before it waits itself, what
// any of the kernels that still run may write: it waits for this one, and this one for those.
__device__ __forceinline__ void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Has a value computed here, before the kernel in front has ended, and not where it is first used.
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

// A load that starts here, never from a cache of the multiprocessor, and not where its result is first used: several
// in a row are waited for once.
__device__ __forceinline__ std::uint32_t load_now(bool there, const std::uint32_t* at, std::uint32_t otherwise) {
    std::uint32_t value = otherwise;
    asm volatile("{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %2, 0;\n\t@there ld.global.cg.u32 %0, [%1];\n\t}"
                 : "+r"(value)
                 : "l"(at), "r"(there ? 1U : 0U)
                 : "memory");
    return value;
}

// Four words at a time, aligned to 16 bytes; 0 where there is none. Relaxed, or it would be moved behind a branch that
// does not need it.
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

// For __launch_bounds__: how many blocks of so many threads a multiprocessor is to run at once, as far as it holds
// them.
constexpr unsigned blocks_at_once(unsigned threads, unsigned requested) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    constexpr unsigned kMost = 1024;
#else
    constexpr unsigned kMost = 1536;  // some hold more
#endif
    return requested < kMost / threads ? requested : kMost / threads;
}

// How many blocks of how many threads, and their shared memory in bytes beside what the kernel declares.
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
    bool early = true;      // before the kernel in front has ended, where the device can
    bool together = false;  // all blocks at the same time, so that they may wait for each other, once they have waited
                            // for what is before
};

struct LaunchChain {
    StreamView stream;
    bool early;  // the device can start the next kernel early

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
