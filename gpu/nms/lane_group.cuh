// Lanes of a warp that work together, and words that threads of a device share while they wait for each other.
#pragma once

#include <cstdint>
#include <cuda/atomic>

#include "gpu/nms/pair_test.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// Words that other threads of the device read and write at the same time. Orders no other data.
template <typename Word>
__device__ __forceinline__ Word load_relaxed(Word& word) {
    return cuda::atomic_ref<Word, cuda::thread_scope_device>(word).load(cuda::memory_order_relaxed);
}
template <typename Word>
__device__ __forceinline__ void store_relaxed(Word& word, Word value) {
    cuda::atomic_ref<Word, cuda::thread_scope_device>(word).store(value, cuda::memory_order_relaxed);
}

// Launches a kernel whose blocks wait for each other, and of which any number of blocks does the work: fewer where the
// stream has a part of the device.
template <class... Parameters, class... Arguments>
void launch_waiting(const LaunchChain& chain, const char* name, void (*kernel)(Parameters...), LaunchSize size,
                    const Arguments&... arguments) {
    while (!chain.launch_resident(name, kernel, size, arguments...)) {
        if (size.blocks.x == 1) check_cuda(cudaErrorCooperativeLaunchTooLarge, name);
        size.blocks.x = (size.blocks.x + 1) / 2;
    }
}

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
    // Calls visit(item) for the items [first, first + count) of all lanes, each on one lane.
    template <class Visit>
    __device__ __forceinline__ void for_each_in(std::uint32_t first, std::uint32_t count, Visit&& visit) const {
        const std::uint32_t up_to = inclusive_sum(count);
        const std::uint32_t total = from(up_to, kLanes - 1);
        const std::uint32_t offset = first - (up_to - count);
        for (std::uint32_t base = 0; __any_sync(kWholeWarp, base < total); base += kLanes) {
            const std::uint32_t at = base + lane;
            const std::uint32_t item = at + from(offset, first_above(up_to, at));
            if (at < total) visit(item);
        }
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
