// What the kernels of the small engine do with a frame that is too large for it: nothing, or the binning for the large
// engine, a step in each. The number of detections is known on the device only; sharing launches spares either kind of
// frame those of the other.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid_build.cuh"
#include "gpu/nms/chained.h"

namespace throng::gpu {

struct LeaveLarger {
    template <std::uint32_t kThreads>
    struct First {
        __device__ __forceinline__ void load(const NmsTask& /*task*/) {}
        __device__ __forceinline__ void run(const LeaveLarger& /*larger*/, const NmsTask& /*task*/) const {}
    };
    __device__ __forceinline__ void second(const NmsTask& /*task*/) const {}
    __device__ __forceinline__ void third(const NmsTask& /*task*/) const {}
};

struct BinLarger {
    GridBuild build;
    // Of each block of the later steps, so that the work is spread over the multiprocessors.
    std::uint32_t allot_threads;
    std::uint32_t allot_blocks;
    std::uint32_t fill_threads;

    // In blocks of kThreads, one for so many detections.
    template <std::uint32_t kThreads>
    struct First {
        RawDetection detection;
        __device__ __forceinline__ void load(const NmsTask& task) {
            detection = RawDetection(task.raw, blockIdx.x * kThreads + threadIdx.x);
        }
        __device__ __forceinline__ void run(const BinLarger& larger, const NmsTask& task) const {
            assign_cells<kThreads>(larger.build, task, detection, stored_count(task.raw));
        }
    };
    __device__ __forceinline__ void second(const NmsTask& task) const {
        let_next_start();
        wait_for_previous();
        if (threadIdx.x >= allot_threads) return;
        const uint4 counts = load_counts(build.grid, allot_threads, allot_blocks);
        allot_cells(build, stored_count(task.raw), allot_threads, allot_blocks, counts);
    }
    __device__ __forceinline__ void third(const NmsTask& task) const {
        let_next_start();
        if (threadIdx.x >= fill_threads) return;
        // The detections were there before any kernel in front of this one that may still run: see match.
        const std::uint32_t i = blockIdx.x * fill_threads + threadIdx.x;
        const std::uint32_t n = stored_count_now(task.raw);
        const PlacedRecord record(build, RawDetection(task.raw, i), i, n);
        wait_for_previous(record.cell);
        fill_cell(build, record, i);
    }
};

}  // namespace throng::gpu
