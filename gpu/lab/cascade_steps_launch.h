// Launchers of the kernels that only CascadeSteps has.
#pragma once

#include "gpu/cascade/cascade_launch.h"
#include "gpu/lab/cascade_options.h"

namespace throng::gpu {

// Which windows are evaluated. Addresses are in device memory.
struct WindowFilter {
    const std::uint32_t* mask = nullptr;  // entry (0, 0) of the mask's sums; null: no mask
    std::int32_t mask_pitch = 0, mask_width = 0, mask_height = 0;
    float min_share = 0;                       // of set samples, at least
    const std::uint32_t* requested = nullptr;  // bit by window as WindowTask::fell; null: all are
};

// The launches of a group of levels.
struct StepLaunch : CascadeLaunch {
    Features features;
    WindowFilter filter;
};

// Writes 1 for each sample of the mask that is set, else 0. d_samples: (width + 1) / 2 x (height + 1) / 2.
void launch_mask(const DeviceImage& image, const CandidateMask& mask, std::uint8_t* d_samples, StreamView stream);

// With a stride: evaluates every stride-th window in both directions. Those that pass `stages` stages request their
// neighborhood.
void launch_coarse_windows(const StepLaunch& step, int stages, int stride, std::uint32_t* d_requested);

// As launch_window_pairs and launch_all_windows.
void launch_filtered_pairs(const StepLaunch& step, const PairTables& tables, int stages, const WindowQueue& next);
void launch_filtered_windows(const StepLaunch& step, int stages, const WindowQueue& next);

// Evaluates stages [first, last) of the windows of a queue. next: receives those that pass; of capacity 0: they are
// reported.
void launch_queue_segment(const StepLaunch& step, const WindowQueue& queue, int first, int last,
                          const WindowQueue& next);

}  // namespace throng::gpu
