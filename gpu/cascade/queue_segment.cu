// Later segments with a thread a window, from a queue: a fixed number of blocks walks it, so that its length stays on
// the device.
#include <cuda_runtime.h>

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/select.cuh"
#include "gpu/cascade/window_rules.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kBlocksAMultiprocessor = 12;

// Windows that found a queue full: all stages, from the bits.
template <typename F>
__device__ void evaluate_pending(const CascadeTables& cascade, const WindowTask& task, const WindowGroup& group) {
    const int threads = gridDim.x * blockDim.x;
    for (int word = group.first_word + blockIdx.x * blockDim.x + threadIdx.x; word < group.end_word; word += threads) {
        std::uint32_t bits = task.pending[word];
        if (bits == 0) continue;
        task.pending[word] = 0;
        const WindowPlace first = place_of_word(task, word);
        for (; bits != 0; bits &= bits - 1) {
            const int column = first.column + __ffs(static_cast<int>(bits)) - 1;
            const std::uint32_t entry = corner_entry(task, task.levels[first.level], column, first.row);
            const std::uint32_t* at = task.pyramid.sums + entry;
            double margin = 0.0;
            if (passes<F>(cascade, task.pyramid, 0, cascade.geometry.stage_count, at,
                          norm_of(cascade, task.pyramid, at), margin)) {
                report(task, entry, margin);
            }
        }
    }
}

template <typename F, bool kLast>
__global__ void __launch_bounds__(kThreads)
    queued_windows_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, Segment segment) {
    const std::uint32_t count = min(group.counters->queued[segment.number - 1], segment.queue.capacity);
    for (std::uint32_t first = blockIdx.x * kThreads; first < count; first += gridDim.x * kThreads) {
        const std::uint32_t i = first + threadIdx.x;
        bool alive = i < count;
        QueuedWindow window{};
        if (alive) {
            window = load_quads(segment.queue.windows + i);
            alive = passes<F>(cascade, task.pyramid, segment.first, segment.last, task.pyramid.sums + window.at,
                              window.norm, window.margin);
        }
        if constexpr (kLast) {
            if (alive) report(task, window.at, window.margin);
        } else {
            push(task, segment.next, &group.counters->queued[segment.number], &group.counters->spilled, alive, window);
        }
    }
    if constexpr (kLast) {
        if (group.counters->spilled != 0) evaluate_pending<F>(cascade, task, group);
    }
}

}  // namespace

void launch_queued_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowGroup& group, const Segment& segment, bool last, StreamView stream) {
    const int blocks = choice.multiprocessors * kBlocksAMultiprocessor;
    select_features(choice, [&](auto features) {
        using F = decltype(features);
        if (last) {
            queued_windows_kernel<F, true><<<blocks, kThreads, 0, stream>>>(cascade, task, group, segment);
        } else {
            queued_windows_kernel<F, false><<<blocks, kThreads, 0, stream>>>(cascade, task, group, segment);
        }
    });
    check_launch("queued_windows_kernel", stream);
}

}  // namespace throng::gpu
