// The lists that lose writes and finish reads: the suppressors of open detections, and who is open.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// An edge of a list, of an open detection: its lane in the group, how many open ones of the group are before it, and
// who suppresses it.
struct Edge {
    std::uint32_t lane;
    std::uint32_t rank;
    std::uint32_t by;

    __device__ __forceinline__ explicit Edge(std::uint32_t packed)
        : lane(packed >> 16 & 31U), rank(packed >> 24), by(packed & 0xFFFFU) {}
    // Of a detection, without the suppressor.
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t pack(std::uint32_t lane, std::uint32_t rank) {
        return rank << 24 | lane << 16;
    }
};

// What a list begins with.
struct alignas(16) ListHead {
    static constexpr std::uint32_t kAll = 1U << 16;
    std::uint32_t count;    // edges; 0 where rows of bits tell
    std::uint32_t open;     // bits of the group: who is open,
    std::uint32_t stays;    // and who stays by all means
    std::uint32_t numbers;  // of SmallNumbers: that of the group's first open one, and times kAll how many there are
};
static_assert(sizeof(ListHead) == SmallNmsScratch::kHead * sizeof(std::uint32_t));

// Of the words of a warp, kWarps words apart.
template <std::uint32_t kWarps, std::uint32_t kEach>
struct EdgeLists {
    static constexpr std::uint32_t kAhead = 2;  // loads of each, 32 words, that need not know how long it is
    std::uint32_t first[kEach][kAhead];
    std::uint32_t count[kEach];  // edges
    std::uint32_t open[kEach];   // bits
    std::uint32_t stays[kEach];

    [[nodiscard]] __device__ __forceinline__ static std::uint32_t word(std::uint32_t k) {
        return threadIdx.x / 32 + k * kWarps;
    }
    [[nodiscard]] __device__ __forceinline__ static const std::uint32_t* at(const std::uint32_t* d_lists,
                                                                            std::uint32_t k) {
        return d_lists + word(k) * SmallNmsScratch::kSegment + threadIdx.x % 32;
    }
    __device__ __forceinline__ void load(const std::uint32_t* d_lists, std::uint32_t words) {
        const std::uint32_t* from = at(d_lists, 0);
        compute_now(from);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
#pragma unroll
            for (std::uint32_t a = 0; a < kAhead; ++a)
                first[k][a] = load_now(word(k) < words, from + k * (kWarps * SmallNmsScratch::kSegment) + a * 32, 0);
        }
    }
    __device__ __forceinline__ void read_heads() {
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            count[k] = __shfl_sync(kWholeWarp, first[k][0], 0);
            open[k] = __shfl_sync(kWholeWarp, first[k][0], 1);
            stays[k] = __shfl_sync(kWholeWarp, first[k][0], 2);
        }
    }
    // Calls take(k, given, edge) for edges of all lists, by whole warps.
    template <typename Take>
    __device__ __forceinline__ void for_each(const std::uint32_t* d_lists, const Take& take) const {
        constexpr std::uint32_t kHead = SmallNmsScratch::kHead;
        const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            if (count[k] == 0) continue;
            const std::uint32_t* from = at(d_lists, k) + kAhead * 32;
            const std::uint32_t end = kHead + min(count[k], SmallNmsScratch::kEdges);
#pragma unroll
            for (std::uint32_t a = 0; a < kAhead; ++a) {
                if (a * 32 < end) take(k, (a > 0 || lane >= kHead) && a * 32 + lane < end, first[k][a]);
            }
#pragma unroll 1
            for (std::uint32_t e = kAhead * 32; e < end; e += 32) {
                take(k, e + lane < end, __ldcg(from));
                from += 32;
            }
        }
    }
};

}  // namespace throng::gpu
