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
    __device__ std::uint32_t from(std::uint32_t value, int source) const {
        return __shfl_sync(kWholeWarp, value, source, kLanes);
    }
    // The sum over the lanes of the group, on each of them.
    __device__ std::uint32_t sum(std::uint32_t value) const {
        for (int step = kLanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(kWholeWarp, value, step);
        return value;
    }
    // The sum over the lanes of the group up to this one.
    __device__ std::uint32_t inclusive_sum(std::uint32_t value) const {
        for (int step = 1; step < kLanes; step *= 2) {
            const std::uint32_t other = __shfl_up_sync(kWholeWarp, value, step, kLanes);
            if (lane >= static_cast<std::uint32_t>(step)) value += other;
        }
        return value;
    }
    // The first lane whose value is above item, given values that do not descend from lane to lane; at most the last.
    __device__ int first_above(std::uint32_t value, std::uint32_t item) const {
        int found = 0;
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) {
            if (item >= from(value, found + step - 1)) found += step;
        }
        return found;
    }
};

// The sums over the threads of a block before this one and over all. By whole blocks of kThreads. Less code than CUB's,
// which these short kernels would have to fetch.
template <unsigned kThreads>
class BlockSum {
public:
    // Barriers: one inside; one is needed before the next call with the same object.
    __device__ __forceinline__ std::uint32_t exclusive(std::uint32_t value, std::uint32_t& total) {
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        const std::uint32_t up_to = Group<32>().inclusive_sum(value);
        if (lane == 31) sums_[warp] = up_to;
        __syncthreads();
        const std::uint32_t sum = lane < kThreads / 32 ? sums_[lane] : 0;
        total = warp_sum(sum);
        return warp_sum(lane < warp ? sum : 0) + up_to - value;
    }

private:
    std::uint32_t sums_[kThreads / 32];
};

}  // namespace throng::gpu
