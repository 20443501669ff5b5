// Later segments with one thread per window, from a queue. A fixed number of blocks iterates over it, so that its
// length stays on the device.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/block_windows.cuh"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// Evaluates stages [first_stage, last). next: receives the windows that pass; of capacity 0: they are reported.
template <typename F>
__global__ void __launch_bounds__(kBlockThreads)
    queued_windows_kernel(CascadeTables cascade, WindowTask task, WindowQueue queue, int first_stage, int last,
                          WindowQueue next) {
    __shared__ BlockWindows windows;
    const std::uint32_t count = queue_length(queue);
    // Shares are small, so that every multiprocessor has work even if few windows remain.
    const std::uint32_t even = (count + gridDim.x - 1) / gridDim.x;
    const std::uint32_t share = min(max((even + 31) / 32 * 32, 32U), static_cast<std::uint32_t>(kBlockWindows));
    for (std::uint32_t first = blockIdx.x * share; first < count; first += gridDim.x * share) {
        const std::uint32_t own = min(share, count - first);
        if (threadIdx.x == 0) {
            windows.count[0] = own;
            windows.count[1] = 0;
        }
        for (std::uint32_t i = threadIdx.x; i < own; i += kBlockThreads) {
            windows.window[i] = load_quads(queue.windows + first + i);
            windows.list[0][i] = static_cast<std::uint16_t>(i);
        }
        __syncthreads();
        const Remaining left = run_stages<F>(cascade, task, windows, first_stage, last);
        if (next.capacity != 0) {
            push(task, next, windows, left);
            continue;
        }
        for (std::uint32_t i = threadIdx.x; i < left.count; i += kBlockThreads) {
            report(task, windows.window[left.list[i]]);
        }
        __syncthreads();
    }
}

template <typename F>
void launch_queue(const CascadeLaunch& work, const WindowQueue& queue, int first, int last, const WindowQueue& next) {
    const auto kernel = queued_windows_kernel<F>;
    const int blocks = work.multiprocessors * blocks_per_multiprocessor("queued_windows_kernel", kernel, kBlockThreads);
    LaunchChain(work.stream, false)
        .launch("queued_windows_kernel", kernel, LaunchSize{static_cast<unsigned>(blocks), kBlockThreads}, work.cascade,
                work.task, queue, first, last, next);
}

}  // namespace throng::gpu
