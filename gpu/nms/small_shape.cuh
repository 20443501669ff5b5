// What the kernels of the small engine are told beside task and rules.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_entry.cuh"
#include "gpu/nms/shared_address.cuh"
#include "gpu/nms/small_nms.h"

namespace throng::gpu {

struct SmallShape {
    std::uint32_t capacity;  // of the scratch
    std::uint32_t stride;    // of the matrix
    std::uint32_t tile;      // detections
    PairPlan plan;
    bool optional_fields;  // that are copied
    bool together;         // all blocks of lose run at the same time, a group each, and tell each other who is open
};

// So many open ones of so many detections have numbers and rows of bits: see SmallNumbers and SmallSettle.
__host__ __device__ constexpr std::uint32_t most_open(std::uint32_t most) {
    return most / 8;
}

// Where a frame's task comes from: the launch itself, or device memory.
struct OneTask {
    SmallNmsTask task;
    [[nodiscard]] __device__ __forceinline__ const SmallNmsTask& get() const { return task; }
};
struct TaskOfFrame {
    const SmallNmsTask* d_tasks;

    // A copy in shared memory. By all threads, once.
    [[nodiscard]] __device__ __forceinline__ const SmallNmsTask& get() const {
        __shared__ SmallNmsTask task;
        constexpr std::uint32_t kWords = sizeof(SmallNmsTask) / sizeof(std::uint32_t);
        for (std::uint32_t k = threadIdx.x; k < kWords; k += blockDim.x)
            reinterpret_cast<std::uint32_t*>(&task)[k] =
                reinterpret_cast<const std::uint32_t*>(d_tasks + blockIdx.y)[k];
        __syncthreads();
        return task;
    }
};

// Under greedy: open is who is neither kept by all means nor suppressed by such a one.
enum SmallState : std::uint32_t { lost = 0, open = 1, stays = 2 };

// The number of detections, for kernels that may start before the one in front has ended: never from a cache. By one
// thread of a block, because it takes long where all warps of all blocks ask for one line.
__device__ __forceinline__ std::uint32_t small_count(const DetectionSpan& raw) {
    const std::uint32_t requested = __ldcg(&raw.count->total);
    return min(requested, static_cast<std::uint32_t>(raw.capacity));
}

__host__ __device__ __forceinline__ std::uint32_t words_for(std::uint32_t n) {
    return (n + 31) / 32;
}

__device__ __forceinline__ std::uint32_t lowest_bits(std::uint32_t count) {
    return count >= 32 ? kWholeWarp : (1U << count) - 1;
}

// Of one that is not 0.
__device__ __forceinline__ std::uint32_t highest_bit(std::uint32_t value) {
    std::uint32_t bit;
    asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(value));
    return bit;
}

}  // namespace throng::gpu
