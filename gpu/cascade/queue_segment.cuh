// Later segments with one thread per window, from a queue. A fixed number of blocks iterates over it, so that its
// length stays on the device.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/block_windows.cuh"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// Reports the windows that pass the last stage.
struct ReportWindows {
    // Called by all threads of a block; ends with a __syncthreads.
    __device__ static void put(const WindowTask& task, BlockWindows& windows, const Remaining& left) {
        for (std::uint32_t i = threadIdx.x; i < left.count; i += kBlockThreads) {
            report(task, windows.at[left.list[i]], windows.margin[left.list[i]]);
        }
        __syncthreads();
    }
};

// Evaluates stages [first_stage, last).
template <typename F, typename Output>
__global__ void __launch_bounds__(kBlockThreads)
    queued_windows_kernel(CascadeTables cascade, WindowTask task, WindowQueue queue, int first_stage, int last,
                          Output output) {
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
            const QueuedWindow window = load_quads(queue.windows + first + i);
            windows.at[i] = window.at;
            windows.norm[i] = window.norm;
            windows.margin[i] = window.margin;
            windows.list[0][i] = static_cast<std::uint16_t>(i);
        }
        __syncthreads();
        const Remaining left = run_stages<F>(cascade, task, windows, first_stage, last,
                                             [&](int slot) { return task.pyramid.sums + windows.at[slot]; });
        output.put(task, windows, left);
    }
}

template <typename F, typename Output>
void launch_queue(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                  const WindowQueue& queue, int first, int last, const Output& output, StreamView stream) {
    const auto kernel = queued_windows_kernel<F, Output>;
    const int blocks =
        choice.multiprocessors * blocks_per_multiprocessor("queued_windows_kernel", kernel, kBlockThreads);
    LaunchChain(stream, false)
        .launch("queued_windows_kernel", kernel, LaunchSize{static_cast<unsigned>(blocks), kBlockThreads}, cascade,
                task, queue, first, last, output);
}

}  // namespace throng::gpu
