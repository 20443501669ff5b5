// A cluster of thread blocks (compute capability 9.0 and later); elsewhere a cluster is one block and these are no-ops.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

namespace throng::gpu {

struct Cluster {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __device__ static std::uint32_t rank() { return cooperative_groups::this_cluster().block_rank(); }
    __device__ static std::uint32_t size() { return cooperative_groups::this_cluster().num_blocks(); }
    // Waits for all blocks; what they wrote to shared and device memory is then visible to all of them.
    __device__ static void sync() { cooperative_groups::this_cluster().sync(); }
    // The same variable in another block's shared memory.
    template <typename T>
    __device__ static T* remote(T* address, std::uint32_t rank) {
        return cooperative_groups::this_cluster().map_shared_rank(address, static_cast<int>(rank));
    }
#else
    __device__ static std::uint32_t rank() { return 0; }
    __device__ static std::uint32_t size() { return 1; }
    __device__ static void sync() { __syncthreads(); }
    template <typename T>
    __device__ static T* remote(T* address, std::uint32_t) {
        return address;
    }
#endif
};

}  // namespace throng::gpu
