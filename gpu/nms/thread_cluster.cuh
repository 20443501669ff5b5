// The blocks of a thread block cluster, which reach into each other's shared memory. Compute capability 9.0 and later;
// elsewhere a block is alone.
#pragma once

#include <cstdint>

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

    // A barrier in two halves, for all threads of all blocks: what they wrote before arrive() is seen after wait(). A
    // block may write to another one once that one has arrived somewhere.
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

    // Into the shared memory of a block, at the address that the variable has here.
    __device__ __forceinline__ void store(std::uint32_t block, std::uint32_t* at, std::uint32_t value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        std::uint32_t there = 0;
        const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(block));
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
#else
        if (block == rank) *at = value;
#endif
    }
};

}  // namespace throng::gpu
