// The blocks of a thread block cluster, which reach into each other's shared memory. Compute capability 9.0 and later;
// elsewhere a block is alone.
#pragma once

#include <cstdint>

#include "gpu/nms/shared_address.cuh"

namespace throng::gpu {

struct ThreadCluster {
    std::uint32_t rank;  // of this block
    std::uint32_t size;

    __device__ static __forceinline__ ThreadCluster here() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        std::uint32_t rank = 0;
        std::uint32_t size = 0;
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
        return {rank, size};
#else
        return {0, 1};
#endif
    }

    // A barrier in two halves, for all threads of all blocks: what they wrote before arrive() is seen after wait().
    __device__ __forceinline__ void arrive() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
    }
    __device__ __forceinline__ void wait() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
        __syncthreads();
#endif
    }

    // Counts the bytes that blocks send here, in shared memory. For one use.
    struct Arrivals {
        std::uint64_t barrier;
    };

    // By one thread, before arrive(): bytes may be sent here once all blocks have waited.
    __device__ __forceinline__ void set_up(Arrivals* arrivals) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrivals)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }

    // By one thread, later, before it waits for them: so many bytes are sent here in all.
    __device__ __forceinline__ void expect(Arrivals* arrivals, std::uint32_t bytes) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrivals)),
                     "r"(bytes)
                     : "memory");
#endif
    }

    // Into the shared memory of a block, at the address that the variable has here.
    __device__ __forceinline__ void send(std::uint32_t block, std::uint32_t* to, std::uint32_t value,
                                         Arrivals* arrivals) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        std::uint32_t there = 0;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(to)), "r"(block));
        const std::uint32_t counted = there + (shared_address(arrivals) - shared_address(to));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there),
                     "r"(value), "r"(counted)
                     : "memory");
#else
        if (block == rank) *to = value;
#endif
    }

    // For all threads of the block: all that was expected is there.
    __device__ __forceinline__ void wait_for(Arrivals* arrivals) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile(
            "{\n"
            ".reg .pred there;\n"
            "again:\n"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 there, [%0], 0;\n"
            "@!there bra again;\n"
            "}" ::"r"(shared_address(arrivals))
            : "memory");
#else
        __syncthreads();
#endif
    }
};

}  // namespace throng::gpu
