// The kernels with one thread per window, for the models that need them.
#include "gpu/cascade/first_segment.cuh"
#include "gpu/cascade/queue_segment.cuh"

namespace throng::gpu {

void launch_all_windows(const CascadeLaunch& work, int stages, const WindowQueue& next) {
    select_features<HaarOffsets, LbpOffsets>(
        work.cascade, [&](auto features) { single::launch<decltype(features)>(work, stages, next, EveryWindow{}); });
}

void launch_queued_windows(const CascadeLaunch& work, const WindowQueue& queue, int first) {
    select_features<HaarOffsets, LbpOffsets>(work.cascade, [&](auto features) {
        launch_queue<decltype(features)>(work, queue, first, work.cascade.geometry.stage_count, {});
    });
}

}  // namespace throng::gpu
