// The windows of one block. After each stage the remaining windows are compacted into a list, so that the warps of the
// next stage are full.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/window_rules.cuh"

namespace throng::gpu {

// In shared memory. Windows keep their slot; the lists hold slot numbers.
struct BlockWindows {
    QueuedWindow window[kBlockWindows];
    std::uint16_t list[2][kBlockWindows];
    std::uint32_t count[3];  // in rotation: of the list read, of the list written, and cleared for the next stage
    std::uint32_t first_slot;
};

// Appends the slot to the list if `alive`. Must be called by whole warps.
__device__ inline void append(std::uint16_t* list, std::uint32_t* count, bool alive, int slot) {
    const int lane = threadIdx.x % 32;
    const unsigned living = __ballot_sync(kWholeWarp, alive);
    if (living == 0) return;
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(living)));
    first = __shfl_sync(kWholeWarp, first, 0);
    if (alive) list[first + __popc(living & ((1U << lane) - 1))] = static_cast<std::uint16_t>(slot);
}

// The windows that remain of list[0], count[0].
struct Remaining {
    const std::uint16_t* list;
    std::uint32_t count;
};

// Evaluates stages [first, last) for the block's windows. Called by all threads, after a __syncthreads; ends with one.
// count[1] must be 0.
template <typename F>
__device__ Remaining run_stages(const CascadeTables& cascade, const WindowTask& task, BlockWindows& windows, int first,
                                int last) {
    int turn = 0;
    for (int s = first; s < last; ++s, ++turn) {
        const std::uint32_t count = windows.count[turn % 3];
        if (count == 0) break;
        if (threadIdx.x == 0) windows.count[(turn + 2) % 3] = 0;
        const std::uint16_t* list = windows.list[turn % 2];
        for (std::uint32_t base = 0; base < count; base += kBlockThreads) {
            const std::uint32_t i = base + threadIdx.x;
            bool alive = false;
            int slot = 0;
            if (i < count) {
                slot = list[i];
                QueuedWindow& window = windows.window[slot];
                alive = passes<F>(cascade, task.pyramid, s, s + 1, task.pyramid.sums + window.at, window.norm,
                                  window.margin);
            }
            append(windows.list[(turn + 1) % 2], &windows.count[(turn + 1) % 3], alive, slot);
        }
        __syncthreads();
    }
    return {windows.list[turn % 2], windows.count[turn % 3]};
}

// Passes the block's remaining windows to the next segment; neighbors stay adjacent. Called by all threads.
__device__ inline void push(const WindowTask& task, const WindowQueue& next, BlockWindows& windows,
                            const Remaining& left) {
    if (threadIdx.x == 0 && left.count != 0) {
        windows.first_slot = atomicAdd(&next.counters->queued, left.count);
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < left.count; i += kBlockThreads) {
        enqueue_window(task, next, windows.first_slot + i, windows.window[left.list[i]]);
    }
    __syncthreads();
}

}  // namespace throng::gpu
