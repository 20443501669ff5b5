// Lanes of a warp that work together.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

// A warp in groups of kLanes lanes, each of which has one item. All lanes of the warp take part in every call.
template <int kLanes>
struct Group {
    static constexpr int kInWarp = 32 / kLanes;
    std::uint32_t lane;    // within the group
    std::uint32_t number;  // within the warp

    __device__ Group() : lane(threadIdx.x & (kLanes - 1)), number((threadIdx.x & 31) / kLanes) {}
    [[nodiscard]] __device__ __forceinline__ std::uint32_t mask() const {  // its lanes
        if constexpr (kLanes == 32) return kWholeWarp;
        return ((1U << (kLanes & 31)) - 1) << (number * kLanes);
    }
    __device__ std::uint32_t from(std::uint32_t value, int source) const {
        return __shfl_sync(kWholeWarp, value, source, kLanes);
    }
    __device__ std::uint32_t ballot(bool value) const {  // bit l for lane l of the group
        const std::uint32_t votes = __ballot_sync(kWholeWarp, value);
        if constexpr (kLanes == 32) return votes;
        return votes >> (number * kLanes) & ((1U << (kLanes & 31)) - 1);
    }
    // The sum over the lanes of the group up to this one.
    __device__ std::uint32_t sum_up_to(std::uint32_t value) const {
        for (int step = 1; step < kLanes; step *= 2) {
            const std::uint32_t other = __shfl_up_sync(kWholeWarp, value, step, kLanes);
            if (lane >= static_cast<std::uint32_t>(step)) value += other;
        }
        return value;
    }
    // The first lane whose value is above item, given values that do not fall from lane to lane; at most the last.
    __device__ int owner(std::uint32_t value, std::uint32_t item) const {
        int of = 0;
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) {
            if (item >= from(value, of + step - 1)) of += step;
        }
        return of;
    }
};

}  // namespace throng::gpu
