// What the later kernels of the small engine begin with: the matrix rows of 32 detections, and who is kept by all
// means.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// A lane has one of the 32 detections of a group, a warp some words of their rows, kWarps words apart.
template <std::uint32_t kWarps, std::uint32_t kEach>
class SmallRows {
public:
    static constexpr std::uint32_t kStride = kWarps * 32 * kEach;  // of the matrix: see SmallNmsScratch

    // What can be known before the kernel in front has ended.
    __device__ __forceinline__ SmallRows(const SmallNmsScratch& scratch, const SmallShape& shape)
        : matrix_(scratch.matrix + word(0) * kStride + threadIdx.x % 32),
          gone_at_(scratch.gone + word(0) * SmallNmsScratch::kTiles + threadIdx.x % 32),
          tile_begins_(threadIdx.x % 32 * shape.tile) {
        compute_now(matrix_);
        compute_now(gone_at_);
        compute_now(tile_begins_);
    }

    [[nodiscard]] __device__ __forceinline__ static std::uint32_t word(std::uint32_t k) {
        return threadIdx.x / 32 + k * kWarps;
    }
    // Of the lane's detection of a group that is there; so many words.
    __device__ __forceinline__ void load_bits(std::uint32_t (&bits)[kEach], std::uint32_t group,
                                              std::uint32_t words) const {
        const std::uint32_t* at = matrix_ + group * 32;
        compute_now(at);
        compute_now(words);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) bits[k] = load_now(word(k) < words, at + k * (kWarps * kStride), 0);
    }
    // All that there is room for.
    __device__ __forceinline__ void load_gone() {
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            gone_[k] = load_now(true, gone_at_ + k * kWarps * SmallNmsScratch::kTiles, 0);
    }
    // How many detections there are: before free(), and best before the kernel in front has ended.
    __device__ __forceinline__ void learn(std::uint32_t n) {
        const std::uint32_t words = words_for(n);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            there_[k] = word(k) < words ? kWholeWarp : 0;
            compute_now(there_[k]);
        }
        tile_ = tile_begins_ < n ? kWholeWarp : 0;
        compute_now(tile_);
    }
    // Bits by index: nobody suppresses it. None of a word that is not there.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t free(std::uint32_t k) const {
        return warp_and(~(gone_[k] & tile_) & there_[k]);
    }

private:
    const std::uint32_t* matrix_;
    const std::uint32_t* gone_at_;
    std::uint32_t tile_begins_;
    std::uint32_t gone_[kEach];   // of a word, as the tile of the lane's number saw it
    std::uint32_t there_[kEach];  // all bits of a word that is
    std::uint32_t tile_;          // all bits if that tile is
};

}  // namespace throng::gpu
