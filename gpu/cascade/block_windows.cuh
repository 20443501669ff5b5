// The windows of one block, stage by stage: after each stage those that are left are listed again, so that the warps of
// the next one are full.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/window_rules.cuh"

namespace throng::gpu {

// In shared memory. Windows keep their place; the lists name places.
struct BlockWindows {
    double margin[kBlockWindows];
    std::uint32_t at[kBlockWindows];
    float norm[kBlockWindows];
    std::uint16_t list[2][kBlockWindows];
    std::uint32_t count[3];  // turn by turn: of the list read, of the list written, and cleared for the next
    std::uint32_t first_slot;
};

// Adds the place to the list where `alive`. To be called by whole warps.
__device__ inline void append(std::uint16_t* list, std::uint32_t* count, bool alive, int place) {
    const int lane = threadIdx.x % 32;
    const unsigned living = __ballot_sync(kWholeWarp, alive);
    if (living == 0) return;
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(living)));
    first = __shfl_sync(kWholeWarp, first, 0);
    if (alive) list[first + __popc(living & ((1U << lane) - 1))] = static_cast<std::uint16_t>(place);
}

// What is left of the windows in list[0], count[0].
struct Remaining {
    const std::uint16_t* list;
    std::uint32_t count;
};

// Stages [first, last) for the block's windows, whose sums sums_of(place) finds. All threads, after a __syncthreads;
// ends with one. count[1] is 0.
template <typename F, typename SumsOf>
__device__ Remaining run_stages(const CascadeTables& cascade, const WindowTask& task, BlockWindows& windows, int first,
                                int last, const SumsOf& sums_of) {
    int turn = 0;
    for (int s = first; s < last; ++s, ++turn) {
        const std::uint32_t count = windows.count[turn % 3];
        if (count == 0) break;
        if (threadIdx.x == 0) windows.count[(turn + 2) % 3] = 0;
        const std::uint16_t* list = windows.list[turn % 2];
        for (std::uint32_t base = 0; base < count; base += kBlockThreads) {
            const std::uint32_t i = base + threadIdx.x;
            bool alive = false;
            int place = 0;
            if (i < count) {
                place = list[i];
                double margin = windows.margin[place];
                alive = passes<F>(cascade, task.pyramid, s, s + 1, sums_of(place), windows.norm[place], margin);
                if (alive) windows.margin[place] = margin;
            }
            append(windows.list[(turn + 1) % 2], &windows.count[(turn + 1) % 3], alive, place);
        }
        __syncthreads();
    }
    return {windows.list[turn % 2], windows.count[turn % 3]};
}

// The block's remaining windows into the queue, neighbors staying neighbors. All threads.
__device__ inline void push(const WindowTask& task, const WindowQueue& queue, std::uint32_t* queued,
                            std::uint32_t* spilled, BlockWindows& windows, const Remaining& left) {
    if (threadIdx.x == 0 && left.count != 0) windows.first_slot = atomicAdd(queued, left.count);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < left.count; i += kBlockThreads) {
        const int place = left.list[i];
        store(task, queue, windows.first_slot + i, {windows.at[place], windows.norm[place], windows.margin[place]},
              spilled);
    }
    __syncthreads();
}

}  // namespace throng::gpu
