// What the later kernels of the small engine begin with: the matrix rows of 32 detections, and who is kept by all
// means.
#pragma once

#include <cstdint>

#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// A lane has one of the 32 detections of a group, a warp some words of their rows, kWarps words apart.
template <std::uint32_t kWarps, std::uint32_t kEach>
struct SmallRows {
    std::uint32_t bits[kEach];  // of the lane's detection
    std::uint32_t gone[kEach];  // of word, as the tile of the lane's number saw it

    [[nodiscard]] __device__ __forceinline__ static std::uint32_t word(std::uint32_t k) {
        return threadIdx.x / 32 + k * kWarps;
    }
    __device__ __forceinline__ void load_bits(const SmallNmsScratch& scratch, const SmallShape& shape,
                                              std::uint32_t group, std::uint32_t words) {
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            bits[k] =
                word(k) < words ? __ldcg(scratch.matrix + word(k) * shape.room + group * 32 + threadIdx.x % 32) : 0;
    }
    __device__ __forceinline__ void load_gone(const SmallNmsScratch& scratch, const SmallShape& shape,
                                              std::uint32_t n) {
        const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const bool there = word(k) * 32 < n && lane * shape.tile < n;
            gone[k] = there ? __ldcg(scratch.gone + word(k) * SmallNmsScratch::kTiles + lane) : 0;
        }
    }
    // Bits by index: nobody suppresses it. For a word below the number of words.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t free(std::uint32_t k, std::uint32_t n) const {
        return ~warp_or(gone[k]) & lowest_bits(n - word(k) * 32);
    }
};

}  // namespace throng::gpu
