// Later segments with one thread per window, from a queue. A fixed number of blocks iterates over it, so that its
// length stays on the device.
#include <cuda_runtime.h>

#include "gpu/cascade/block_windows.cuh"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/select.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

template <typename F, bool kLast>
__global__ void __launch_bounds__(kBlockThreads)
    queued_windows_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, Segment segment) {
    __shared__ BlockWindows windows;
    const std::uint32_t count = queue_length(group, segment);
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
            const QueuedWindow window = load_quads(segment.queue + first + i);
            windows.at[i] = window.at;
            windows.norm[i] = window.norm;
            windows.margin[i] = window.margin;
            windows.list[0][i] = static_cast<std::uint16_t>(i);
        }
        __syncthreads();
        const Remaining left = run_stages<F>(cascade, task, windows, segment.first, segment.last,
                                             [&](int slot) { return task.pyramid.sums + windows.at[slot]; });
        if constexpr (kLast) {
            for (std::uint32_t i = threadIdx.x; i < left.count; i += kBlockThreads) {
                report(task, windows.at[left.list[i]], windows.margin[left.list[i]]);
            }
            __syncthreads();
        } else {
            push(task, group, segment, windows, left);
        }
    }
}

}  // namespace

void launch_queued_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const Segment& segment, bool last, StreamView stream) {
    select_features(choice, [&](auto features) {
        using F = decltype(features);
        const auto kernel = last ? queued_windows_kernel<F, true> : queued_windows_kernel<F, false>;
        const int blocks =
            choice.multiprocessors * blocks_per_multiprocessor("queued_windows_kernel", kernel, kBlockThreads);
        LaunchChain(stream, false)
            .launch("queued_windows_kernel", kernel, LaunchSize{blocks, kBlockThreads}, cascade, task, group, segment);
    });
}

}  // namespace throng::gpu
